import { eventStream } from '@mostrador/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ensureEventStream, isConnected, pingNats } from './nats.ts';
import { startTestNats, type TestNats } from './testing/nats.ts';
import { waitFor } from './testing/wait.ts';

describe('the connection to NATS', () => {
  let server: TestNats;
  beforeEach(async () => {
    server = await startTestNats();
  });
  afterEach(() => server.stop());

  test('knows when it is down and comes back by itself', async () => {
    expect(isConnected(server.nats)).toBe(true);
    await pingNats(server.nats);
    await server.stopServer();
    await waitFor(() => !isConnected(server.nats), { description: 'the loss is noticed' });
    await expect(pingNats(server.nats)).rejects.toThrow('not connected');
    await server.startServer();
    await waitFor(() => isConnected(server.nats), { description: 'connected again', timeoutMs: 10_000 });
    await pingNats(server.nats);
  });

  test('a server that hangs fails the ping within its limit', async () => {
    server.freezeServer();
    const refusal = () =>
      pingNats(server.nats).then(
        () => undefined,
        (error: Error) => error.message,
      );
    await waitFor(async () => (await refusal()) === 'no answer from NATS', { description: 'the ping gives up' });
    server.thawServer();
    await waitFor(() => pingNats(server.nats).then(() => true), { description: 'it answers again' });
  });

  test('the event stream is made once, by however many at once, keeps one of two equal events, and survives a restart', async () => {
    await Promise.all([1, 2, 3].map(() => ensureEventStream(server.nats)));
    const js = server.nats.jetstream();
    await js.publish('events.crm.lead.created', '{}', { msgID: 'a' });
    expect(await js.publish('events.crm.lead.created', '{}', { msgID: 'a' })).toMatchObject({ duplicate: true });
    await server.stopServer();
    await server.startServer();
    await waitFor(() => isConnected(server.nats), { description: 'connected again', timeoutMs: 10_000 });
    await ensureEventStream(server.nats);
    const manager = await server.nats.jetstreamManager();
    const { state } = await manager.streams.info(eventStream.name);
    expect(state.messages).toBe(1);
  });
});
