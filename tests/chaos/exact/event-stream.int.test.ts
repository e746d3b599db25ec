import { randomUUID } from 'node:crypto';
import { appendEvents, type FeedEntry, revokeApiKey } from '@mostrador/contracts';
import { awakeMs } from '@mostrador/testing/awake';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, type Store, startStage } from './stage.ts';

const holdsWithinMs = 2000;

let stage: Stage;
let store: Store;

beforeAll(async () => {
  stage = await startStage({ processes: ['gateway', 'events'] });
  store = await stage.newStore({ calendar: false });
});
afterAll(() => stage?.stop());

const entry = (): FeedEntry => ({
  id: randomUUID(),
  store_id: store.id,
  type: 'lead.updated',
  entity: { type: 'lead', id: randomUUID(), version: 1 },
  created_at: new Date().toISOString(),
  data: { object: null },
});

/** Sends a batch until it is answered, as a relay does. */
async function append(count: number): Promise<void> {
  const entries = Array.from({ length: count }, entry);
  await waitFor(() => stage.call(appendEvents, { body: { entries } }), { description: 'the batch is appended' });
}

/** A client that connects again whenever its stream ends, with the id of its last event. */
function follow() {
  const got: number[] = [];
  const state = { lastId: '0', streams: 0, hints: 0, isOver: false };
  const abort = new AbortController();
  const running = (async () => {
    while (!state.isOver) {
      await readStream().catch(() => new Promise((resolve) => setTimeout(resolve, 50)));
    }
  })();
  async function readStream() {
    const response = await fetch(`${stage.url()}/events/stream`, {
      headers: { 'x-api-key': store.key, 'last-event-id': state.lastId },
      signal: abort.signal,
    });
    if (response.status !== 200 || !response.body) throw new Error(`the stream answers ${response.status}`);
    state.streams += 1;
    let rest = '';
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        if (block.startsWith('retry: ')) state.hints += 1;
        const data = /^data: (.*)$/m.exec(block)?.[1];
        state.lastId = /^id: (.*)$/m.exec(block)?.[1] ?? state.lastId;
        if (data) got.push(JSON.parse(data).sequence);
      }
    }
  }
  return {
    got,
    state,
    async stop() {
      state.isOver = true;
      abort.abort();
      await running;
    },
  };
}

test('a client of the stream gets every event once, although the service, the gateway and NATS fail meanwhile', async () => {
  const client = follow();
  const untilGot = (count: number) =>
    waitFor(() => client.got.length >= count, { description: `${count} events have come` });
  try {
    await append(3);
    await untilGot(3);

    const [first] = [client.state.streams];
    await stage.restart('events');
    await append(3);
    await untilGot(6);
    expect(client.state.streams).toBe(first);

    await stage.kill('gateway');
    await append(3);
    await stage.start('gateway');
    await untilGot(9);

    stage.proxies.gatewayNats.cut();
    await append(3);
    stage.proxies.gatewayNats.mend();
    await untilGot(12);

    const { hints, streams } = client.state;
    await stage.replace('gateway');
    await append(3);
    await untilGot(15);
    expect(client.state.streams).toBeGreaterThan(streams);
    // One at the end of the stream, and one at the beginning of the next.
    expect(client.state.hints).toBeGreaterThanOrEqual(hints + 2);
    expect(client.got).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
  } finally {
    await client.stop();
  }
});

// A busy machine is late at times. A stream that goes on for too long does so each time.
test('a stream ends within 2 s when its key is revoked', { retry: 4 }, async () => {
  const { key, keyId } = await stage.newStore({ calendar: false });
  const response = await fetch(`${stage.url()}/events/stream`, { headers: { 'x-api-key': key } });
  expect(response.status).toBe(200);
  await stage.call(revokeApiKey, { body: { key_id: keyId } });
  const since = awakeMs();
  await response.text();
  expect(awakeMs() - since).toBeLessThan(holdsWithinMs);
});
