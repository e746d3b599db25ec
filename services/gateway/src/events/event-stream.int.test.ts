import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromiumOptions } from '@mostrador/testing/chromium';
import { waitFor } from '@mostrador/testing/wait';
import { type Browser, chromium } from 'playwright-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { api, createClient, expectProblem } from '../../test/client.ts';
import { type EventSource, openEventSource } from '../../test/event-source.ts';
import { serveFeed, type TestFeed } from '../../test/feed.ts';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';
import { mostFollowers } from './followers.ts';

let gateway: TestGateway;
let feed: TestFeed;
let port: number;
let storeId: string;
let keyId: string;
let apiKey: string;
let send: ReturnType<typeof createClient>['send'];
const opened: EventSource[] = [];

beforeEach(async () => {
  gateway = await startTestGateway();
  const made = await gateway.newStore();
  [storeId, keyId, apiKey] = [made.store.id, made.key.id, made.apiKey];
  ({ send } = createClient(gateway, apiKey));
  feed = await serveFeed(gateway);
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  port = (gateway.app.server.address() as AddressInfo).port;
});
afterEach(async () => {
  for (const source of opened.splice(0)) source.close();
  await gateway?.stop();
});

async function open(query = '', headers: Record<string, string> = {}): Promise<EventSource> {
  const source = await openEventSource(port, { key: apiKey, query, headers });
  opened.push(source);
  return source;
}
const untilGot = (source: EventSource, count: number) =>
  waitFor(() => source.sequences().length >= count, { description: `${count} events have come` });
const untilFollowed = (count: number) =>
  waitFor(() => gateway.followers.count() === count, { description: `${count} streams are open` });

test('the stream begins now, tells its position first, and shows each event as it happens', async () => {
  feed.append(storeId);
  const source = await open();
  await waitFor(() => source.frames().length === 2, { description: 'the stream has begun' });
  expect(source.frames()).toEqual([{ retry: expect.stringMatching(/^\d+$/) }, { id: '1' }]);
  const retries = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const other = await open();
      await waitFor(() => other.frames().length > 0, { description: 'the stream has begun' });
      return Number(other.frames()[0]?.retry);
    }),
  );
  // Those that a gateway has lost come back at different moments.
  expect(new Set(retries).size).toBeGreaterThan(1);
  expect(Math.min(...retries)).toBeGreaterThanOrEqual(2000);
  const event = feed.append(storeId, 'lead.created');
  await untilGot(source, 1);
  expect(source.frames().at(-1)).toMatchObject({ id: '2', event: 'lead.created' });
  expect(JSON.parse(source.frames().at(-1)?.data ?? '')).toEqual(event);
});

test('no proxy, browser or compression holds the stream back', async () => {
  const { response } = await open('', { 'accept-encoding': 'gzip, br, zstd' });
  expect(response.statusCode).toBe(200);
  expect(response.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'close',
    'x-request-id': expect.any(String),
  });
  expect(response.headers).not.toHaveProperty('content-encoding');
});

test('a client that comes back with its last id gets every event once, although it reads while events are appended', async () => {
  const total = 500;
  const got: number[] = [];
  let last: Record<string, string> = {};
  const appending = (async () => {
    for (let n = 0; n < total; n++) {
      feed.append(storeId, 'lead.updated', { quietly: n % 3 === 0 });
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  while (got.length < total) {
    const source = await open(got.length === 0 ? '?after=0' : '?after=5', last);
    await untilGot(source, Math.min(60, total - got.length));
    source.close();
    got.push(...source.sequences());
    last = { 'last-event-id': String(got.at(-1)) };
  }
  await appending;
  expect(got).toEqual(Array.from({ length: total }, (_, index) => index + 1));
});

test('a stream with filters shows only these events, and resumes behind those that it left out', async () => {
  const source = await open('?after=0&types=lead.created');
  await untilFollowed(1);
  for (const type of ['lead.updated', 'lead.created', 'lead.updated']) feed.append(storeId, type);
  await untilGot(source, 1);
  expect(source.sequences()).toEqual([2]);
  const { entity } = feed.append(storeId, 'lead.updated');
  feed.append(storeId, 'lead.updated');
  const ofEntity = await open(`?after=0&entity_id=${entity.id}`);
  await untilGot(ofEntity, 1);
  expect(ofEntity.sequences()).toEqual([4]);
});

test('a silent stream has a heartbeat, which tells the position that filters have moved', async () => {
  const source = await open('?types=lead.created');
  await waitFor(() => source.frames().length === 2, { description: 'the stream has begun' });
  feed.append(storeId, 'lead.updated');
  await waitFor(() => source.frames().at(-1)?.id === '1', { description: 'the heartbeat has come', timeoutMs: 40_000 });
  expect(source.sequences()).toEqual([]);
});

test('a position that the feed no longer has is an error before the stream begins', async () => {
  for (let n = 0; n < 5; n++) feed.append(storeId);
  feed.state.oldest = 4;
  expectProblem(await send(`${api}/events/stream?after=1`), 410, 'cursor_expired');
  expectProblem(await send(`${api}/events/stream`, { headers: { 'last-event-id': '99' } }), 410, 'cursor_expired');
  expectProblem(await send(`${api}/events/stream`, { headers: { 'last-event-id': 'x' } }), 400, 'validation_failed');
  expectProblem(await send(`${api}/events/stream?limit=5`), 400, 'validation_failed');
  expectProblem(await send(`${api}/events/stream`, { key: null }), 401, 'missing_api_key');
  const { apiKey: withoutScope } = await gateway.newStore({ scopes: ['leads:read'] });
  expectProblem(await send(`${api}/events/stream`, { key: withoutScope }), 403, 'scope_required');
  expect((await send(`${api}/events/stream`, { method: 'HEAD' })).statusCode).toBe(405);
});

test('a stream that meets the fence of a restore ends with the reason, and its client goes on from the new end', async () => {
  const source = await open('?after=0');
  feed.append(storeId);
  feed.append(storeId);
  await untilGot(source, 2);
  feed.restart(1_000_000);
  await waitFor(() => source.hasEnded(), { description: 'the stream has ended' });
  const last = { 'last-event-id': String(source.sequences().at(-1)) };
  expectProblem(await send(`${api}/events/stream`, { headers: last }), 410, 'cursor_expired');
  const { next } = (await send(`${api}/events?after=-1`)).json();
  expect(next).toBe(1_000_000);
  // Now the client copies again.
  feed.append(storeId);
  const again = await open(`?after=${next}`);
  feed.append(storeId);
  await untilGot(again, 2);
  expect([source.sequences(), again.sequences()]).toEqual([
    [1, 2],
    [1_000_001, 1_000_002],
  ]);
});

test('a stream of a feed without events goes on past the fence of a restore, and its position shows that', async () => {
  const source = await open('?after=0');
  await waitFor(() => source.frames().at(-1)?.id === '0', { description: 'the stream has begun' });
  feed.restart(1_000_000);
  feed.append(storeId);
  await untilGot(source, 1);
  expect(source.sequences()).toEqual([1_000_001]);
});

test('a stream outlasts an outage of the service', async () => {
  const source = await open();
  await waitFor(() => source.frames().length === 2, { description: 'the stream has begun' });
  feed.state.isDown = true;
  const before = feed.asked.length;
  feed.append(storeId);
  await waitFor(() => feed.asked.length > before, { description: 'the page was read during the outage' });
  feed.state.isDown = false;
  await untilGot(source, 1);
});

test('a client that leaves, or never came, frees the place of its stream', async () => {
  const sources = await Promise.all(Array.from({ length: mostFollowers }, () => open()));
  await untilFollowed(mostFollowers);
  expectProblem(await send(`${api}/events/stream`), 429, 'quota_exceeded');
  for (const source of sources) source.close();
  await untilFollowed(0);
  feed.state.isDown = true;
  expectProblem(await send(`${api}/events/stream`), 503, 'service_unavailable');
  await untilFollowed(0);
});

test('a stream ends when its key is revoked, also when the notice is lost', async () => {
  gateway.announcing.on = false;
  const source = await open();
  await untilFollowed(1);
  await gateway.revokeKey(keyId);
  await waitFor(() => source.hasEnded(), { description: 'the stream has ended' });
  feed.append(storeId);
  expect(source.sequences()).toEqual([]);
  expectProblem(await send(`${api}/events/stream`), 401, 'invalid_api_key');
});

/** The code for pages in the guide. */
const guideCode = (): string => {
  const guide = readFileSync(new URL('../../../../docs/guides/events.md', import.meta.url), 'utf8');
  return /```js\n(async function follow[\s\S]*?)```/.exec(guide)?.[1] ?? '';
};

const { executablePath: browser } = chromiumOptions;
test.skipIf(!existsSync(browser))(
  `in a browser (skipped when there is none at ${browser}): a page of an allowed origin, with the code of the guide, misses and repeats no event when its connections break`,
  async () => {
    const shop = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Shop</title>');
    }).listen(0, '127.0.0.1');
    await once(shop, 'listening');
    const origin = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
    const open = await startTestGateway({ corsOrigins: origin });
    let chrome: Browser | undefined;
    try {
      const events = await serveFeed(open);
      await open.app.listen({ host: '127.0.0.1', port: 0 });
      const base = `http://127.0.0.1:${(open.app.server.address() as AddressInfo).port}${api}`;
      const made = await open.newStore({ scopes: ['events:read'] });
      chrome = await chromium.launch(chromiumOptions);
      const page = await chrome.newPage();
      await page.goto(origin);
      // The pause between two connections is that of `retry:`, which is shorter here.
      await page.addScriptTag({
        content: `${guideCode()}
          const later = setTimeout;
          globalThis.setTimeout = (run) => later(run, 20);
          globalThis.shown = [];
          follow('${base}', '${made.apiKey}', ({ sequence }) => shown.push(sequence)).catch((error) => shown.push(String(error)));`,
      });
      await waitFor(() => events.asked.length > 0, { description: 'the stream has its beginning' });
      const shown = () => page.evaluate('shown') as Promise<number[]>;
      events.append(made.store.id);
      await expect.poll(shown).toEqual([1]);
      for (let broken = 1; broken <= 3; broken++) {
        open.app.server.closeAllConnections();
        for (let n = 0; n < 10; n++) events.append(made.store.id);
        await expect.poll(async () => (await shown()).length).toBe(1 + broken * 10);
      }
      expect(await shown()).toEqual(Array.from({ length: 31 }, (_, index) => index + 1));
    } finally {
      await chrome?.close();
      await open.stop();
      await new Promise((resolve) => shop.close(resolve));
    }
  },
);

test('a gateway that stops ends its streams with a hint when to come back, and one that no client reads does not block it', async () => {
  const source = await open();
  const stuck = await open('?after=0');
  stuck.response.pause();
  for (let n = 0; n < 300; n++) feed.append(storeId, 'lead.updated', { text: 'x'.repeat(19_000) });
  await untilGot(source, 300);
  const closed = once(gateway.app.server, 'close');
  void gateway.app.close();
  await closed;
  expect(source.hasEnded()).toBe(true);
  const last = source.frames().at(-1);
  expect(Number(last?.retry)).toBeGreaterThanOrEqual(2000);
});

test('a client that reads slowly makes the gateway read no further than it', async () => {
  const stuck = await open('?after=0');
  stuck.response.pause();
  for (let n = 0; n < 1500; n++) feed.append(storeId, 'lead.updated', { text: 'x'.repeat(19_000) });
  const positions = () => feed.asked.map(({ after = 0 }) => after);
  await expect.poll(() => positions().length).toBeGreaterThan(1);
  const source = await open(`?after=1490`);
  await untilGot(source, 10);
  expect(Math.max(...positions().filter((after) => after < 1490))).toBeLessThan(1000);
  stuck.response.resume();
  await waitFor(() => stuck.sequences().length === 1500, { description: 'it has all events' });
  expect(stuck.sequences()).toEqual(Array.from({ length: 1500 }, (_, index) => index + 1));
});
