import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { getChannelConnection } from '@mostrador/contracts';
import { silentLog, testContext } from '@mostrador/testing/context';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database, isUniqueViolation } from '../database/database.ts';
import type { StoreContext } from '../rpc/context.ts';
import { AppError } from '../rpc/errors.ts';
import { createGroupCommit, type GroupWork } from './group-commit.ts';
import { withIdempotency } from './idempotency.ts';

let kit: TestDatabase;
beforeAll(async () => {
  kit = await createKitDatabase();
});
afterAll(() => kit.drop());

const operation = getChannelConnection;
type Note = { readonly id: string; readonly text: string };
type Work = GroupWork<typeof operation, string, Note>;
type Reply = Awaited<ReturnType<ReturnType<typeof writer>['write']>>;

const answerOf = ({ id, text }: Note) => ({
  ...{ provider: text as never, status: 'connected' as const, phone: id },
  opt_out_stops_api: true,
});
/** The note that the answer shows. */
const noteOf = (reply: Reply): Note => {
  const { provider, phone } = JSON.parse(Buffer.from(reply.bytes ?? []).toString());
  return { text: provider, id: phone };
};

/** An operation that writes notes, whose texts are unique in the store. `groups` has the texts of each transaction. */
function writer(options: { database?: Database; before?: (texts: readonly string[]) => Promise<unknown> } = {}) {
  const groups: string[][] = [];
  let nudges = 0;
  const work: Work['work'] = async (sql, storeId, texts) => {
    groups.push([...texts]);
    await options.before?.(texts);
    return await sql<Note[]>`
      insert into notes (store_id, text)
      select ${storeId}, text from unnest(${[...texts]}::text[]) with ordinality as note (text, number) order by number
      returning id, text`;
  };
  const write = createGroupCommit<typeof operation, string, Note>(
    { database: options.database ?? kit.database, relay: { nudge: () => nudges++ } },
    { operation, work, toReply: answerOf, etag: ({ text }) => `"${text}"` },
  );
  return { write, groups, nudges: () => nudges };
}

const inStore = (storeId: string = randomUUID()) => testContext({ storeId });
const keyed = (storeId: string, idempotencyKey: string, body: unknown = 'body') =>
  testContext({ storeId, idempotencyKey, body });
const textsOf = async (storeId: string) =>
  (await kit.adminSql`select text from notes where store_id = ${storeId} order by text`).map(({ text }) => text);
const names = (count: number) => Array.from({ length: count }, (_, index) => `n${String(index).padStart(3, '0')}`);
/** The rejection reason of each, or undefined. */
const failuresOf = async (writes: Promise<unknown>[]) =>
  (await Promise.allSettled(writes)).map((outcome) => (outcome.status === 'rejected' ? outcome.reason : undefined));

test('requests of a store that arrive together share a transaction, and each gets the answer to its own', async () => {
  const { write, groups, nudges } = writer();
  const context = inStore();
  const replies = await Promise.all(names(100).map((text) => write(context, text)));
  expect(replies.map((reply) => [noteOf(reply).text, reply.headers.etag, reply.replayed])).toEqual(
    names(100).map((text) => [text, `"${text}"`, false]),
  );
  expect(new Set(replies.map((reply) => noteOf(reply).id)).size).toBe(100);
  expect(await textsOf(context.storeId)).toEqual(names(100));
  expect(groups.map(({ length }) => length)).toEqual([32, 32, 32, 4]);
  expect(nudges()).toBe(4);
});

test('a shared transaction is in the trace of one of its requests, and each item keeps its own', async () => {
  const storeId = randomUUID();
  const seen: unknown[] = [];
  const write = createGroupCommit<typeof operation, string, Note>(
    { database: kit.database, relay: { nudge: () => {} } },
    {
      operation,
      work: async (sql, _storeId, texts, origins) => {
        seen.push(sql.origin.traceparent, ...origins.map(({ traceparent }) => traceparent));
        return texts.map((text) => ({ id: text, text }));
      },
      toReply: answerOf,
      etag: ({ text }) => text,
    },
  );
  const traces = [undefined, 'b', 'c'];
  await Promise.all(traces.map((traceparent) => write({ ...inStore(storeId), traceparent }, 'text')));
  expect(seen).toEqual(['b', null, 'b', 'c']);
});

test('stores do not share a transaction, and one does not wait for another', async () => {
  const hold = Promise.withResolvers<void>();
  const { write, groups } = writer({ before: async (texts) => texts.includes('slow') && (await hold.promise) });
  const slow = write(inStore(), 'slow');
  const others = ['a', 'b', 'c'].map((text) => write(inStore(), text));
  expect((await Promise.all(others)).map((reply) => noteOf(reply).text)).toEqual(['a', 'b', 'c']);
  hold.resolve();
  await slow;
  expect(groups).toHaveLength(4);
});

test('when one item fails, the others are still written, and only its request gets the error', async () => {
  const refuse = async (texts: readonly string[]) => {
    if (texts.includes('n003')) throw new AppError('lead_not_found');
  };
  const { write } = writer({ before: refuse });
  const context = inStore();
  await write(context, 'n005');
  const failures = await failuresOf(names(8).map((text) => write(context, text)));
  expect(failures.map((error) => error && (isUniqueViolation(error) ? 'twice' : error.code))).toEqual(
    names(8).map((text) => ({ n003: 'lead_not_found', n005: 'twice' })[text]),
  );
  expect(await textsOf(context.storeId)).toEqual(['n000', 'n001', 'n002', 'n004', 'n005', 'n006', 'n007']);
});

test('an item that the work refuses fails alone, keeps no answer, and the others still share the transaction', async () => {
  let groups = 0;
  let refuses = true;
  const write = createGroupCommit<typeof operation, string, Note>(
    { database: kit.database, relay: { nudge: () => {} } },
    {
      operation,
      work: async (_sql, _storeId, texts) => {
        groups += 1;
        return texts.map((text) => (refuses && text === 'n003' ? new AppError('lead_not_found') : { id: text, text }));
      },
      toReply: answerOf,
      etag: ({ text }) => text,
    },
  );
  const storeId = randomUUID();
  const ask = () => failuresOf(names(8).map((text) => write(keyed(storeId, text), text)));
  const failures = names(8).map((text) => ({ n003: 'lead_not_found' })[text]);
  expect((await ask()).map((error) => error?.code)).toEqual(failures);
  expect(groups).toBe(1);
  refuses = false;
  expect(await ask()).toEqual(names(8).map(() => undefined));
});

test('when one item fails, the others are written one after the other', async () => {
  let running = 0;
  let most = 0;
  const { write, groups } = writer({
    before: async (texts) => {
      running += 1;
      most = Math.max(most, running);
      // Others that run would begin in this time.
      await kit.adminSql`select 1`;
      running -= 1;
      if (texts.includes('n003')) throw new AppError('lead_not_found');
    },
  });
  const context = inStore();
  await failuresOf(names(32).map((text) => write(context, text)));
  expect(await textsOf(context.storeId)).toHaveLength(31);
  expect([groups.length, most]).toEqual([33, 1]);
});

test('without a database every request fails as not done, and none is tried alone', async () => {
  const url = Object.assign(new URL(kit.url), { port: '1' }).href;
  const database = createDatabase({ url, size: 1, log: silentLog(), name: 'nowhere' });
  const { write, groups, nudges } = writer({ database });
  const context = inStore();
  const failures = await failuresOf(names(5).map((text) => write(context, text)));
  expect(failures.map(({ code }) => code)).toEqual(Array(5).fill('service_unavailable'));
  expect([groups, nudges()]).toEqual([[], 0]);
  await database.close();
});

test('a transaction that misses the latest deadline of its requests writes nothing', async () => {
  const hold = Promise.withResolvers<void>();
  const { write } = writer({ before: () => hold.promise });
  const storeId = randomUUID();
  const failures = await failuresOf([100, 300].map((timeoutMs) => write(testContext({ storeId, timeoutMs }), 'late')));
  hold.resolve();
  expect(failures.map(({ code }) => code)).toEqual(['upstream_timeout', 'upstream_timeout']);
  expect(await textsOf(storeId)).toEqual([]);
});

test('a request whose deadline passes before the commit is not written, and those that share its transaction are', async () => {
  const { write, groups } = writer({ before: (texts) => (texts.includes('late') ? pause(400) : Promise.resolve()) });
  const storeId = randomUUID();
  const timesMs = { a: 30_000, late: 300, b: 20_000 };
  const writes = Object.entries(timesMs).map(([text, timeoutMs]) => write(testContext({ storeId, timeoutMs }), text));
  expect((await failuresOf(writes)).map((error) => error?.code)).toEqual([undefined, 'service_unavailable', undefined]);
  expect(groups).toEqual([
    ['a', 'late', 'b'],
    ['a', 'b'],
  ]);
  expect(await textsOf(storeId)).toEqual(['a', 'b']);
});

test('a request whose deadline passes while it waits for the transaction before it does not run', async () => {
  const hold = Promise.withResolvers<void>();
  const { write, groups } = writer({ before: (texts) => (texts.includes('slow') ? hold.promise : Promise.resolve()) });
  const storeId = randomUUID();
  const slow = write(inStore(storeId), 'slow');
  await waitFor(async () => groups.length === 1, { description: 'the transaction runs' });
  const waiting = [50, 30_000].map((timeoutMs) => write(testContext({ storeId, timeoutMs }), `n${timeoutMs}`));
  await pause(60);
  hold.resolve();
  await slow;
  expect((await failuresOf(waiting)).map((error) => error?.code)).toEqual(['service_unavailable', undefined]);
  expect(groups).toEqual([['slow'], ['n30000']]);
});

test('fifty requests with one key at once have one effect, and forty-nine get its answer as a replay', async () => {
  const { write, groups } = writer();
  const storeId = randomUUID();
  const replies = await Promise.all(Array.from({ length: 50 }, () => write(keyed(storeId, 'k'), 'once')));
  expect(replies.filter(({ replayed }) => !replayed)).toHaveLength(1);
  expect(new Set(replies.map((reply) => Buffer.from(reply.bytes ?? []).toString())).size).toBe(1);
  expect(new Set(replies.map(({ headers }) => headers.etag))).toEqual(new Set(['"once"']));
  expect(await textsOf(storeId)).toEqual(['once']);
  expect(groups).toEqual([['once']]);
});

test('keys, replays, other keys and requests without a key share a transaction, and each is treated as its own', async () => {
  const { write, groups } = writer();
  const storeId = randomUUID();
  const first = await write(keyed(storeId, 'known'), 'known');
  const writes = [
    write(keyed(storeId, 'known'), 'ignored'),
    write(keyed(storeId, 'a'), 'a'),
    write(inStore(storeId), 'b'),
    write(keyed(storeId, 'known', 'another body'), 'ignored too'),
    write(keyed(storeId, 'c'), 'c'),
  ];
  const [reused] = (await failuresOf(writes)).filter(Boolean);
  expect(reused).toMatchObject({ code: 'idempotency_key_reused' });
  const [again, a, b, , c] = await Promise.all(writes.map((each) => each.catch(() => undefined)));
  expect([again?.replayed, Buffer.from(again?.bytes ?? [])]).toEqual([true, Buffer.from(first.bytes ?? [])]);
  expect([a, b, c].map((reply) => reply && [noteOf(reply).text, reply.replayed])).toEqual([
    ...[
      ['a', false],
      ['b', false],
      ['c', false],
    ],
  ]);
  expect(groups).toEqual([['known'], ['a', 'b', 'c']]);
  expect((await write(keyed(storeId, 'c'), 'c')).replayed).toBe(true);
  expect(await textsOf(storeId)).toEqual(['a', 'b', 'c', 'known']);
});

test('a request that failed leaves its key free', async () => {
  let refuses = true;
  const { write } = writer({
    before: async () => {
      if (refuses) throw new AppError('lead_not_found');
    },
  });
  const storeId = randomUUID();
  await expect(write(keyed(storeId, 'k'), 'x')).rejects.toMatchObject({ code: 'lead_not_found' });
  refuses = false;
  expect((await write(keyed(storeId, 'k'), 'x')).replayed).toBe(false);
});

test('two processes with group commit, and requests without it, have one effect under one key', async () => {
  const [one, two] = [writer(), writer()];
  const storeId = randomUUID();
  const alone = (context: StoreContext) =>
    withIdempotency<typeof operation, Note>({
      ...{ database: kit.database, context, operation, toReply: answerOf, etag: ({ text }) => `"${text}"` },
      run: (commit) =>
        commit(async (sql) => {
          const [row] = await sql<[Note]>`
            insert into notes (store_id, text) values (${storeId}, ${randomUUID()}) returning id, text`;
          return row;
        }),
    });
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, index) => {
      const context = keyed(storeId, `k${index % 3}`);
      if (index % 5 === 0) return alone(context);
      return (index % 2 ? one : two).write(context, randomUUID());
    }),
  );
  expect(replies.filter(({ replayed }) => !replayed)).toHaveLength(3);
  expect(await textsOf(storeId)).toHaveLength(3);
});

test('a key that another request holds for too long is in progress, and nothing is written', async () => {
  const hold = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const slow = writer({
    before: async () => {
      begun.resolve();
      await hold.promise;
    },
  });
  const { write } = writer();
  const storeId = randomUUID();
  const holding = slow.write(keyed(storeId, 'k'), 'x');
  await begun.promise;
  const impatient = testContext({ storeId, idempotencyKey: 'k', body: 'body', timeoutMs: 600 });
  await expect(write(impatient, 'x')).rejects.toMatchObject({ code: 'idempotency_in_progress' });
  hold.resolve();
  expect((await holding).replayed).toBe(false);
  expect(await textsOf(storeId)).toEqual(['x']);
});

test('an expired record is replaced', async () => {
  const { write } = writer();
  const storeId = randomUUID();
  await write(keyed(storeId, 'k'), 'first');
  await kit.adminSql`update idempotency_records set expires_at = now() - interval '1 second' where store_id = ${storeId}`;
  expect((await write(keyed(storeId, 'k', 'another body'), 'second')).replayed).toBe(false);
  const again = await write(keyed(storeId, 'k', 'another body'), 'third');
  expect([again.replayed, noteOf(again).text]).toEqual([true, 'second']);
});
