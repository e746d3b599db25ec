import { randomUUID } from 'node:crypto';
import { getChannelConnection } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StoreContext } from '../rpc/context.ts';
import { AppError } from '../rpc/errors.ts';
import { Later, Reply } from '../rpc/reply.ts';
import { withDeferredIdempotency, withIdempotency } from './idempotency.ts';

let kit: TestDatabase;
beforeAll(async () => {
  kit = await createKitDatabase();
});
afterAll(() => kit?.drop());

const operation = getChannelConnection;
/** The outcome of the row, as an answer. */
const outcome = (id: string, what: string) => ({
  provider: null,
  status: 'connected' as const,
  phone: `${id} ${what}`,
  opt_out_stops_api: true,
});

type Options = { answer?: (id: string) => Promise<string>; refuse?: boolean };

/** A request that writes a note; its answer comes from `answer`. Resolves after the commit, with the remaining work. */
const begin = (context: StoreContext, { answer = async () => 'sent', refuse = false }: Options = {}) =>
  withDeferredIdempotency<typeof operation, string>({
    database: kit.database,
    context,
    operation,
    run: (commit) =>
      commit(async (sql) => {
        const [note] = await sql`
          insert into notes (store_id, text) values (${context.storeId}, ${randomUUID()}) returning id`;
        if (refuse) throw new AppError('lead_opted_out');
        return note?.id;
      }),
    entityOf: (id) => id,
    answer: async (id) => outcome(id, await answer(id)),
  });

const finish = async (begun: Awaited<ReturnType<typeof begin>>) => {
  const answered = begun instanceof Later ? await begun.finish() : begun;
  const { bytes, replayed } = answered instanceof Reply ? answered : { bytes: undefined, replayed: false };
  return {
    text: bytes ? Buffer.from(bytes).toString() : JSON.stringify((answered as { phone: string }).phone),
    replayed,
  };
};
const send = async (context: StoreContext, options?: Options) => await finish(await begin(context, options));

const newKey = () => ({ storeId: randomUUID(), idempotencyKey: randomUUID(), body: { message: 'hello' } });
const notesOf = async (storeId: string) => await kit.adminSql`select id from notes where store_id = ${storeId}`;
const recordsOf = async (storeId: string) =>
  await kit.adminSql`select entity_id, reply from idempotency_records where store_id = ${storeId}`;

test('the transaction stores the id of the row, and the record gets its answer later', async () => {
  const key = newKey();
  const begun = await begin(testContext(key));
  const [note] = await notesOf(key.storeId);
  expect(await recordsOf(key.storeId)).toEqual([{ entity_id: note?.id, reply: null }]);
  const { text, replayed } = await finish(begun);
  expect([JSON.parse(text).phone, replayed]).toEqual([`${note?.id} sent`, false]);
  const [record] = await recordsOf(key.storeId);
  expect(record?.reply.toString()).toBe(text);
});

test('fifty concurrent requests with one key write one row and get one answer, forty-nine as a replay', async () => {
  const key = newKey();
  const known = Promise.withResolvers<string>();
  const sending = Array.from({ length: 50 }, () => send(testContext(key), { answer: () => known.promise }));
  known.resolve('sent');
  const answers = await Promise.all(sending);
  expect(await notesOf(key.storeId)).toHaveLength(1);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
});

test('requests that see different outcomes all answer the one that was stored first', async () => {
  const key = newKey();
  const first = Promise.withResolvers<string>();
  const original = await begin(testContext(key), { answer: () => first.promise });
  const again = await begin(testContext(key), { answer: async () => 'delivered' });
  const early = await finish(again);
  first.resolve('queued');
  const late = await finish(original);
  expect(early.text).toContain('delivered');
  expect(late).toEqual({ text: early.text, replayed: false });
  expect(await send(testContext(key))).toEqual({ text: early.text, replayed: true });
});

test('after the process of the first request dies, a repeated request answers for the same row', async () => {
  const key = newKey();
  await begin(testContext(key)); // no process ever finishes it
  const again = await send(testContext(key), { answer: async () => 'read' });
  const [note] = await notesOf(key.storeId);
  expect(JSON.parse(again.text).phone).toBe(`${note?.id} read`);
  expect(again.replayed).toBe(true);
  expect(await notesOf(key.storeId)).toHaveLength(1);
});

test('an answer that fails after the commit is upstream_timeout, and the next request completes it', async () => {
  const key = newKey();
  const failing = send(testContext(key), { answer: () => Promise.reject(new AppError('service_unavailable')) });
  await expect(failing).rejects.toMatchObject({ code: 'upstream_timeout' });
  expect(await send(testContext(key))).toMatchObject({ replayed: true });
  expect(await notesOf(key.storeId)).toHaveLength(1);
});

test('another body with the same key is rejected, before and after the answer is known', async () => {
  const key = newKey();
  const other = () => begin(testContext({ ...key, body: { message: 'something else' } }));
  const begun = await begin(testContext(key));
  await expect(other()).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  await finish(begun);
  await expect(other()).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  expect(await notesOf(key.storeId)).toHaveLength(1);
});

test('a rejected request stores nothing, and can be sent again with its key', async () => {
  const key = newKey();
  await expect(begin(testContext(key), { refuse: true })).rejects.toMatchObject({ code: 'lead_opted_out' });
  expect(await recordsOf(key.storeId)).toEqual([]);
  expect(await send(testContext(key))).toMatchObject({ replayed: false });
});

test('an expired record is replaced, and a late answer of the old one does not change the new one', async () => {
  const key = newKey();
  const old = await begin(testContext(key), { answer: async () => 'late' });
  await kit.adminSql`update idempotency_records set expires_at = now() where store_id = ${key.storeId}`;
  const fresh = await begin(testContext(key), { answer: async () => 'sent' });
  expect((await finish(old)).text).toContain('late');
  const answer = await finish(fresh);
  expect(answer.text).toContain('sent');
  expect(await send(testContext(key))).toEqual({ text: answer.text, replayed: true });
  expect(await notesOf(key.storeId)).toHaveLength(2);
});

test('without a key every request writes, and stores no record', async () => {
  const context = testContext();
  await send(context);
  await send(context);
  expect(await notesOf(context.storeId)).toHaveLength(2);
  expect(await recordsOf(context.storeId)).toEqual([]);
});

test('a record has an answer or the id of a row', async () => {
  const storeId = randomUUID();
  const empty = kit.adminSql`
    insert into idempotency_records (store_id, scope, key, fingerprint) values (${storeId}, 'POST /x', 'k', 'f')`;
  await expect(empty).rejects.toThrow('idempotency_records_answer');
});

test('a table without entity_id still serves requests that answer at once', async () => {
  const plain = await createKitDatabase();
  await plain.adminSql`alter table idempotency_records drop column entity_id, alter column reply set not null`;
  const context = testContext(newKey());
  const ask = () =>
    withIdempotency<typeof operation, string>({
      database: plain.database,
      context,
      operation,
      run: (commit) => commit(async () => 'x'),
      toReply: (id) => outcome(id, 'done'),
    });
  expect([(await ask()).replayed, (await ask()).replayed]).toEqual([false, true]);
  await plain.drop();
});
