import { defineOperation, Exact, Text, Uuid } from '@mostrador/contracts';
import { silentLog, testContext } from '@mostrador/testing/context';
import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { waitFor } from '@mostrador/testing/wait';
import { Type } from '@sinclair/typebox';
import { headers } from 'nats';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createRpcClient, type RpcClient } from './client.ts';
import { AppError } from './errors.ts';
import { connectNats } from './nats.ts';
import { createRpcServer, type Handlers, type RpcServer, replay, reply, serializeReply } from './server.ts';

const Thing = Type.Object({ id: Uuid, name: Type.String() });
const operations = {
  createThing: defineOperation({
    subject: 'shop.api.things.create',
    summary: 'Create a thing',
    request: { body: Exact({ name: Text(20), count: Type.Optional(Type.Integer({ default: 3 })) }) },
    reply: Thing,
  }),
  checkThing: defineOperation({
    subject: 'shop.internal.things.check',
    access: 'platform',
    tenancy: 'none',
    summary: 'Check a thing',
    request: { body: Exact({ name: Text(20) }) },
    reply: Type.Object({ storeId: Type.String(), hasKey: Type.Boolean() }),
  }),
} as const;

const thing = { id: '018f7b6c-0000-7000-8000-000000000001', name: 'bread' };
const bread = { body: { name: 'bread' } };
/** The headers of a request that a test sends itself. */
const envelope = () => {
  const written = headers();
  written.set('Mostrador-Deadline', String(Date.now() + 30_000));
  written.set('Mostrador-Store', thing.id);
  return written;
};

/** A handler that blocks until `open` is called. */
function blockedHandler() {
  let open = () => {};
  let entered = 0;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    open: () => open(),
    entered: () => entered,
    async pass() {
      entered++;
      await opened;
      return thing;
    },
  };
}

describe('rpc', () => {
  let server: TestNats;
  let client: RpcClient;
  let running: RpcServer[] = [];

  beforeAll(async () => {
    server = await startTestNats();
    client = createRpcClient({ nats: server.nats, log: silentLog() });
  });
  afterEach(async () => {
    await Promise.all(running.map((rpcServer) => rpcServer.drain()));
    running = [];
  });
  afterAll(() => server.stop());

  async function serve(
    handlers: Partial<Handlers<typeof operations>>,
    queues?: Parameters<typeof createRpcServer>[0]['queues'],
  ) {
    const nats = server.nats;
    const notServed = async (): Promise<never> => {
      throw new Error('not served in this test');
    };
    const rpcServer = createRpcServer({
      nats,
      service: 'shop',
      operations,
      handlers: { createThing: notServed, checkThing: notServed, ...handlers },
      log: silentLog(),
      queues,
    });
    await nats.flush();
    running.push(rpcServer);
    return rpcServer;
  }

  const failure = (promise: Promise<unknown>): Promise<AppError> =>
    promise.then(
      (value) => Promise.reject(new Error(`answered ${JSON.stringify(value)}`)),
      (error) => (error instanceof AppError ? error : Promise.reject(error)),
    );

  test('a handler gets the trimmed request with its defaults, the store and the request id', async () => {
    const seen: unknown[] = [];
    await serve({
      createThing: async (context, { body }) => {
        seen.push([context.storeId, context.requestId, body]);
        return thing;
      },
    });
    const context = testContext();
    expect(await client.call(operations.createThing, { body: { name: '  bread ' } }, context)).toEqual(thing);
    expect(seen).toEqual([[context.storeId, context.requestId, { name: 'bread', count: 3 }]]);
  });

  test('the forwarded bytes are those of serializeReply, with the headers of the reply', async () => {
    await serve({ createThing: async () => reply(thing, { etag: '"v1"', nextCursor: 'abc' }) });
    const { body, headers } = await client.forward(operations.createThing, bread, testContext());
    expect(Buffer.from(body)).toEqual(Buffer.from(serializeReply(operations.createThing, thing)));
    expect(headers).toEqual({ etag: '"v1"', nextCursor: 'abc', replayed: false });
  });

  test('a replayed reply has the stored bytes and is marked as replayed', async () => {
    const stored = Buffer.from('{"id":"as it was",  "name":"then"}');
    await serve({ createThing: async () => replay(stored, { etag: '"v1"' }) });
    const { body, headers } = await client.forward(operations.createThing, bread, testContext());
    expect(Buffer.from(body)).toEqual(stored);
    expect(headers).toMatchObject({ etag: '"v1"', replayed: true });
  });

  test('a call that no service serves fails with service_unavailable at once', async () => {
    // A call that waited for its deadline would get upstream_timeout.
    const error = await failure(client.call(operations.createThing, bread, testContext()));
    expect(error).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
  });

  test('a call without an answer by the deadline fails with upstream_timeout and aborts the handler', async () => {
    const held = blockedHandler();
    let aborted = false;
    await serve({
      createThing: async ({ signal }) => {
        signal.addEventListener('abort', () => {
          aborted = true;
        });
        return held.pass();
      },
    });
    const error = await failure(client.call(operations.createThing, bread, testContext({ timeoutMs: 150 })));
    expect(error.code).toBe('upstream_timeout');
    await waitFor(() => aborted, { description: 'the signal is aborted' });
    held.open();
  });

  test("a handler's AppError reaches the caller with all its members", async () => {
    await serve({
      createThing: async () => {
        throw new AppError('lead_exists', { detail: 'There.', members: { id: thing.id }, retryAfterSeconds: 7 });
      },
    });
    const error = await failure(client.call(operations.createThing, bread, testContext()));
    expect(error).toMatchObject({
      code: 'lead_exists',
      detail: 'There.',
      members: { id: thing.id },
      retryAfterSeconds: 7,
    });
  });

  test('an unknown error becomes internal_error and reveals nothing', async () => {
    await serve({
      createThing: async () => {
        throw Object.assign(new Error('password=hunter2 at 10.0.0.7'), { detail: 'Key (phone)=(5511)' });
      },
    });
    const error = await failure(client.call(operations.createThing, bread, testContext()));
    expect(error.code).toBe('internal_error');
    expect(JSON.stringify({ ...error, message: error.message })).not.toMatch(/hunter2|10\.0|5511/);
  });

  test('a reply that does not match its schema becomes internal_error', async () => {
    await serve({ createThing: async () => ({}) as typeof thing });
    const error = await failure(client.call(operations.createThing, bread, testContext()));
    expect(error.code).toBe('internal_error');
  });

  test('a reply larger than the NATS limit is answered with internal_error', async () => {
    await serve({ createThing: async () => ({ ...thing, name: 'x'.repeat(9_000_000) }) });
    const error = await failure(client.call(operations.createThing, bread, testContext()));
    expect(error.code).toBe('internal_error');
  });

  test('an invalid request is rejected with all its faults and does not reach the handler', async () => {
    let reached = false;
    await serve({
      createThing: async () => {
        reached = true;
        return thing;
      },
    });
    const request = { body: { name: '   ', count: '3', colour: 'red' } } as unknown as typeof bread;
    const error = await failure(client.call(operations.createThing, request, testContext()));
    expect(error.code).toBe('validation_failed');
    expect(error.members?.errors).toHaveLength(3);
    expect(reached).toBe(false);
  });

  test('a store operation without a store is rejected', async () => {
    await serve({ createThing: async () => thing });
    const { storeId: _, ...noStore } = testContext();
    const error = await failure(client.call(operations.createThing, bread, noStore));
    expect(error.members?.errors).toEqual([
      { in: 'header', name: 'Mostrador-Store', detail: 'must be the id of a store' },
    ]);
  });

  test.each([undefined, 'soon', String(Date.now() + 86_400_000)])(
    'a request with the deadline %s is rejected',
    async (deadline) => {
      await serve({ createThing: async () => thing });
      const envelope = headers();
      envelope.set('Mostrador-Store', thing.id);
      if (deadline !== undefined) envelope.set('Mostrador-Deadline', deadline);
      const options = { timeout: 30_000, headers: envelope };
      const answer = await server.nats.request(operations.createThing.subject, JSON.stringify(bread), options);
      expect(answer.json()).toMatchObject({
        code: 'validation_failed',
        members: { errors: [{ in: 'header', name: 'Mostrador-Deadline' }] },
      });
    },
  );

  test.each(['', 'no JSON', 'null', '{"key":"k"}'])(
    'a request with the idempotency header `%s` is rejected',
    async (said) => {
      await serve({ createThing: async () => thing });
      const envelope = headers();
      envelope.set('Mostrador-Store', thing.id);
      envelope.set('Mostrador-Deadline', String(Date.now() + 30_000));
      envelope.set('Mostrador-Idempotency', said);
      const options = { timeout: 30_000, headers: envelope };
      const answer = await server.nats.request(operations.createThing.subject, JSON.stringify(bread), options);
      expect(answer.json()).toMatchObject({
        code: 'validation_failed',
        members: { errors: [{ in: 'header', name: 'Mostrador-Idempotency' }] },
      });
    },
  );

  test('a full request queue answers service_unavailable at once and leaves the other queues free', async () => {
    const held = blockedHandler();
    await serve(
      { createThing: () => held.pass(), checkThing: async () => ({ storeId: '', hasKey: false }) },
      { api: { concurrency: 2, queue: 1 } },
    );
    const calls = [1, 2, 3].map(() => client.call(operations.createThing, bread, testContext()));
    await waitFor(() => held.entered() === 2, { description: 'two requests run' });
    // A call that waited for its deadline would get upstream_timeout.
    const error = await failure(client.call(operations.createThing, bread, testContext()));
    expect(error).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
    await client.call(operations.checkThing, bread, testContext());
    held.open();
    expect(await Promise.all(calls)).toEqual([thing, thing, thing]);
  });

  test('while a store floods with 2,000 requests in flight, every request of another store is answered at once', async () => {
    const flooding = thing.id;
    const other = '018f7b6c-0000-7000-8000-000000000002';
    const held = blockedHandler();
    await serve({ createThing: (context) => (context.storeId === flooding ? held.pass() : Promise.resolve(thing)) });
    const create = (storeId: string) =>
      client.call(operations.createThing, bread, testContext({ timeoutMs: 60_000, storeId }));
    let refused = 0;
    const flood = Array.from({ length: 2_000 }, () =>
      create(flooding).catch((error) => {
        if (error.code !== 'service_unavailable' || error.retryAfterSeconds !== 1) throw error;
        refused++;
      }),
    );
    await waitFor(() => refused >= 2_000 - 64 - 256, {
      timeoutMs: 60_000,
      description: 'the flood has filled its places',
    });
    // More than the free slots: some take places that the flood held.
    expect(await Promise.all(Array.from({ length: 100 }, () => create(other)))).toEqual(Array(100).fill(thing));
    expect(held.entered()).toBe(32);
    held.open();
    await Promise.all(flood);
    expect(refused).toBe(2_000 - held.entered());
  });

  test('an operation with a queue of its own leaves the queue of its audience free', async () => {
    const held = blockedHandler();
    const flood = { ...operations.createThing, subject: 'shop.api.things.flood', queue: 'webhook' } as const;
    const flooded = createRpcServer({
      nats: server.nats,
      service: 'shop',
      operations: { createThing: operations.createThing, flood },
      handlers: { createThing: async () => thing, flood: () => held.pass() },
      log: silentLog(),
      queues: { api: { concurrency: 1, queue: 0 }, webhook: { concurrency: 1, queue: 0 } },
    });
    running.push(flooded);
    const first = client.call(flood, bread, testContext());
    await waitFor(() => held.entered() === 1, { description: 'a flooding request runs' });
    expect(await failure(client.call(flood, bread, testContext()))).toMatchObject({ code: 'service_unavailable' });
    expect(await client.call(operations.createThing, bread, testContext())).toEqual(thing);
    held.open();
    await first;
  });

  test('a request whose deadline passes in the queue is not carried out', async () => {
    const held = blockedHandler();
    await serve({ createThing: () => held.pass() }, { api: { concurrency: 1, queue: 5 } });
    const first = client.call(operations.createThing, bread, testContext());
    await waitFor(() => held.entered() === 1, { description: 'the first request runs' });
    const error = await failure(client.call(operations.createThing, bread, testContext({ timeoutMs: 100 })));
    expect(error.code).toBe('upstream_timeout');
    held.open();
    await first;
    await Promise.all(running.map((rpcServer) => rpcServer.drain()));
    expect(held.entered()).toBe(1);
  });

  test('a request that arrives after its deadline is not carried out and takes no slot in the queue', async () => {
    const held = blockedHandler();
    await serve({ createThing: () => held.pass() }, { api: { concurrency: 1, queue: 1 } });
    const first = client.call(operations.createThing, bread, testContext());
    await waitFor(() => held.entered() === 1, { description: 'the first request runs' });
    const late = headers();
    late.set('Mostrador-Deadline', String(Date.now() - 1));
    late.set('Mostrador-Store', thing.id);
    server.nats.publish(operations.createThing.subject, JSON.stringify(bread), { headers: late });
    const second = client.call(operations.createThing, bread, testContext());
    await server.nats.flush();
    held.open();
    expect(await Promise.all([first, second])).toEqual([thing, thing]);
    expect(held.entered()).toBe(2);
  });

  test('a request that arrives after its deadline gets service_unavailable, because the clocks may differ', async () => {
    await serve({ createThing: async () => thing });
    const late = envelope();
    late.set('Mostrador-Deadline', String(Date.now() - 10_000));
    const options = { timeout: 30_000, headers: late };
    const answer = await server.nats.request(operations.createThing.subject, JSON.stringify(bread), options);
    expect(answer.json()).toMatchObject({ code: 'service_unavailable', retry_after: 1 });
  });

  test('the reply subject of a request does not follow from those of other requests', async () => {
    const replies: string[] = [];
    const watching = server.nats.subscribe(operations.createThing.subject, {
      callback: (_error, { reply = '' }) => void replies.push(reply.split('.').at(-1) ?? ''),
    });
    await serve({ createThing: async () => thing });
    for (let round = 0; round < 3; round++) await client.call(operations.createThing, bread, testContext());
    watching.unsubscribe();
    const starts = replies.map((token) => token.slice(0, 8));
    expect(new Set(starts).size).toBe(3);
  });

  test.each(['no JSON', 'null', '"text"'])('a reply of %s is internal_error', async (body) => {
    const serving = server.nats.subscribe(operations.createThing.subject, {
      callback: (_error, message) => void message.respond(body),
    });
    const error = await failure(client.call(operations.createThing, bread, testContext()));
    expect(error.code).toBe('internal_error');
    serving.unsubscribe();
  });

  test('the server answers only to an inbox, never to another reply subject', async () => {
    let made = 0;
    await serve({
      createThing: async () => {
        made += 1;
        return thing;
      },
    });
    const heard: string[] = [];
    const all = server.nats.subscribe('>', { callback: (_error, { subject }) => void heard.push(subject) });
    for (const reply of ['events.crm.lead.created', '$JS.API.STREAM.PURGE.EVENTS', 'crm.step.things.create']) {
      server.nats.publish(operations.createThing.subject, JSON.stringify(bread), { reply, headers: envelope() });
    }
    expect(await client.call(operations.createThing, bread, testContext())).toEqual(thing);
    await server.nats.flush();
    all.unsubscribe();
    expect(heard.filter((subject) => subject !== operations.createThing.subject)).toEqual([
      expect.stringMatching(/^_INBOX_/),
    ]);
    expect(made).toBe(1);
  });

  test('hostile bodies are rejected and the server keeps running', async () => {
    await serve({ createThing: async () => thing });
    const deep = 200_000;
    const payloads = [
      'not JSON',
      '[1,2',
      '"text"',
      'null',
      '[]',
      '{"body":null}',
      '{"body":{"__proto__":{"name":"x"},"constructor":1}}',
      '{"__proto__":{"body":{"name":"x"}}}',
      `{"body":{"name":${'['.repeat(deep)}${']'.repeat(deep)}}}`,
      `{"body":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}`,
      `{"body":{"name":"\\u0000"}}`,
      `{"body":{"name":"\\ud800"}}`,
      Buffer.from([0xff, 0xfe, 0x00]),
    ];
    for (const payload of payloads) {
      const answer = await server.nats.request(operations.createThing.subject, payload, {
        timeout: 30_000,
        headers: envelope(),
      });
      expect(answer.json<{ code: string }>().code, String(payload).slice(0, 40)).toMatch(
        /^(validation_failed|malformed_json)$/,
      );
    }
    expect(await client.call(operations.createThing, bread, testContext())).toEqual(thing);
    expect(({} as { name?: string }).name).toBeUndefined();
  });

  test("a handler's own idempotency key is not passed on to internal operations", async () => {
    await serve({
      createThing: async (context) => {
        expect(context.idempotency?.key).toBe('k');
        const seen = await client.call(operations.checkThing, bread, context);
        return { ...thing, name: String(seen.hasKey) };
      },
      checkThing: async (context) => ({ storeId: '', hasKey: context.idempotency !== undefined }),
    });
    const context = testContext({ idempotencyKey: 'k' });
    expect(await client.call(operations.createThing, bread, context)).toMatchObject({ name: 'false' });
  });

  test('an invalid internal request is internal_error, not validation_failed', async () => {
    await serve({ checkThing: async () => ({ storeId: '', hasKey: false }) });
    const error = await failure(client.call(operations.checkThing, { body: { name: '' } }, testContext()));
    expect(error.code).toBe('internal_error');
    expect(error.members).toBeUndefined();
  });

  test('a drain answers the accepted requests, including waiting ones, and accepts no more', async () => {
    const held = blockedHandler();
    const rpcServer = await serve({ createThing: () => held.pass() }, { api: { concurrency: 1, queue: 5 } });
    const calls = [1, 2, 3].map(() => client.call(operations.createThing, bread, testContext()));
    await waitFor(() => held.entered() === 1, { description: 'the first request runs' });
    let isDrained = false;
    const drained = rpcServer.drain().then(() => {
      isDrained = true;
    });
    await waitFor(async () => (await failure(client.call(operations.createThing, bread, testContext()))).code, {
      description: 'no more requests are accepted',
    });
    expect(isDrained).toBe(false);
    held.open();
    expect(await Promise.all(calls)).toEqual([thing, thing, thing]);
    await drained;
  });

  test('a handler learns that its process stops', async () => {
    const entered = Promise.withResolvers<void>();
    const rpcServer = await serve({
      createThing: async ({ closing }) => {
        entered.resolve();
        await new Promise((resolve) => closing.addEventListener('abort', resolve));
        return thing;
      },
    });
    const call = client.call(operations.createThing, bread, testContext());
    await entered.promise;
    await rpcServer.drain();
    expect(await call).toEqual(thing);
  });

  test('one of several processes gets each request, and none is lost when one process drains', async () => {
    const other = await connectNats({ url: server.url, name: 'other', log: silentLog() });
    const handlers = { createThing: async () => thing, checkThing: async () => ({ storeId: '', hasKey: false }) };
    const first = await serve(handlers);
    const second = createRpcServer({ nats: other, service: 'shop', operations, handlers, log: silentLog() });
    await other.flush();
    const calls: Promise<unknown>[] = [];
    for (let round = 0; round < 20; round++) {
      for (let i = 0; i < 10; i++) calls.push(client.call(operations.createThing, bread, testContext()));
      if (round === 10) calls.push(first.drain());
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(calls);
    await second.drain();
    await other.close();
  });

  test('a process that left its queue group answers what it has, gets nothing more, and may join again', async () => {
    const blocked = blockedHandler();
    const rpcServer = await serve({ createThing: blocked.pass });
    const accepted = client.call(operations.createThing, bread, testContext());
    await waitFor(() => blocked.entered() === 1, { description: 'the request runs' });
    await rpcServer.leave();
    const refused = await failure(client.call(operations.createThing, bread, testContext()));
    expect(refused).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
    expect((refused.cause as Error).message).toContain('no process answers');
    blocked.open();
    expect(await accepted).toEqual(thing);

    await rpcServer.join();
    expect(await client.call(operations.createThing, bread, testContext())).toEqual(thing);
    await rpcServer.drain();
    await rpcServer.join();
    expect((await failure(client.call(operations.createThing, bread, testContext()))).code).toBe('service_unavailable');
  });

  test('the client fails at once while NATS is down, and works again when NATS is back', async () => {
    await serve({ createThing: async () => thing });
    await server.stopServer();
    const first = await failure(client.call(operations.createThing, bread, testContext({ timeoutMs: 2_000 })));
    expect(['service_unavailable', 'upstream_timeout']).toContain(first.code);
    await waitFor(
      async () => {
        // A call that waited for its deadline would get upstream_timeout.
        const error = await failure(client.call(operations.createThing, bread, testContext({ timeoutMs: 300_000 })));
        return error.code === 'service_unavailable';
      },
      { description: 'the client knows that NATS is gone' },
    );
    await server.startServer();
    await waitFor(() => client.call(operations.createThing, bread, testContext({ timeoutMs: 1_000 })), {
      description: 'requests are answered again',
    });
  });
});
