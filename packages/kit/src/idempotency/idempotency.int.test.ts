import { randomBytes, randomUUID } from 'node:crypto';
import { getChannelConnection } from '@mostrador/contracts';
import { silentLog, testContext } from '@mostrador/testing/context';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createVault, type Vault } from '../clients/secrets.ts';
import { createDatabase, type Database, isUniqueViolation } from '../database/database.ts';
import type { StoreContext } from '../rpc/context.ts';
import { AppError } from '../rpc/errors.ts';
import { serializeReply } from '../rpc/reply.ts';
import { type IdempotentWork, purgeIdempotency, withIdempotency } from './idempotency.ts';

let kit: TestDatabase;
beforeAll(async () => {
  kit = await createKitDatabase();
});
afterAll(() => kit.drop());

type Work = IdempotentWork<typeof getChannelConnection, string>;
const operation = getChannelConnection;

/** A request that writes a note with a text that is unique in the store, and answers the note's id. */
function send(
  context: StoreContext,
  options: { during?: () => Promise<unknown>; database?: Database; vault?: Vault } = {},
) {
  const run: Work['run'] = (commit) =>
    commit(async (sql) => {
      const rows = await sql`
        insert into notes (store_id, text) values (${context.storeId}, 'the one') returning id`.catch((error) => {
        if (isUniqueViolation(error)) throw new AppError('lead_exists');
        throw error;
      });
      await options.during?.();
      return rows[0]?.id;
    });
  return withIdempotency<typeof operation, string>({
    database: options.database ?? kit.database,
    context,
    operation,
    run,
    toReply: (id) => ({ provider: null, status: 'connected', phone: id, opt_out_stops_api: true }),
    etag: () => '"v1"',
    ...(options.vault === undefined ? {} : { vault: options.vault }),
  });
}

const newKey = (storeId: string = randomUUID()) => ({
  storeId,
  idempotencyKey: randomUUID(),
  body: { text: 'the one' },
});
const notesOf = async (storeId: string) => (await kit.adminSql`select 1 from notes where store_id = ${storeId}`).length;
const recordsOf = async (storeId: string) =>
  (await kit.adminSql`select 1 from idempotency_records where store_id = ${storeId}`).length;
const textOf = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();

test('fifty concurrent requests with one key have one effect, and forty-nine get its answer as a replay', async () => {
  const key = newKey();
  const replies = await Promise.all(Array.from({ length: 50 }, () => send(testContext(key))));
  expect(await notesOf(key.storeId)).toBe(1);
  expect(replies.filter(({ replayed }) => !replayed)).toHaveLength(1);
  expect(new Set(replies.map(({ bytes }) => textOf(bytes))).size).toBe(1);
  expect(new Set(replies.map(({ headers }) => headers.etag))).toEqual(new Set(['"v1"']));
});

test('a replay has exactly the bytes of the first answer', async () => {
  const key = newKey();
  const [first, again] = [await send(testContext(key)), await send(testContext(key))];
  const [note] = await kit.adminSql`select id from notes where store_id = ${key.storeId}`;
  const answer = { provider: null, status: 'connected' as const, phone: note?.id, opt_out_stops_api: true };
  const expected = serializeReply(operation, answer);
  expect([first.replayed, again.replayed]).toEqual([false, true]);
  expect([textOf(first.bytes), textOf(again.bytes)]).toEqual([textOf(expected), textOf(expected)]);
});

test('with a vault the record is sealed for its key, and a replay has the bytes of the first answer, also with a new key', async () => {
  const newKeyOf = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
  const old = newKeyOf('old');
  const [vault, rotated] = [createVault(old), createVault(`${newKeyOf('new')},${old}`)];
  const key = newKey();
  const [first, again] = [await send(testContext(key), { vault }), await send(testContext(key), { vault: rotated })];
  expect([first.replayed, again.replayed]).toEqual([false, true]);
  expect([textOf(again.bytes), again.headers.etag]).toEqual([textOf(first.bytes), '"v1"']);
  const [record] = await kit.adminSql`select reply from idempotency_records where store_id = ${key.storeId}`;
  expect(textOf(record?.reply)).toMatch(/^v1\.old\.[\w.-]+$/);
  const other = newKey();
  await kit.adminSql`
    update idempotency_records set store_id = ${other.storeId}, key = ${other.idempotencyKey}
    where store_id = ${key.storeId}`;
  await expect(send(testContext(other), { vault })).rejects.toThrow();
});

test('a key that was used with another body is rejected, and the request changes nothing', async () => {
  const key = newKey();
  await send(testContext(key));
  await expect(send(testContext({ ...key, body: { text: 'another' } }))).rejects.toMatchObject({
    code: 'idempotency_key_reused',
  });
  expect(await notesOf(key.storeId)).toBe(1);
});

test('a rejected request stores nothing, and can be sent again with its key', async () => {
  const key = newKey();
  const refuse = async () => {
    throw new AppError('lead_not_found');
  };
  await expect(send(testContext(key), { during: refuse })).rejects.toMatchObject({ code: 'lead_not_found' });
  expect([await notesOf(key.storeId), await recordsOf(key.storeId)]).toEqual([0, 0]);
  expect(await send(testContext(key))).toMatchObject({ replayed: false });
  expect(await send(testContext(key))).toMatchObject({ replayed: true });
});

test('an expired record is replaced by the next request', async () => {
  const key = newKey();
  const first = await send(testContext(key));
  await kit.adminSql`update idempotency_records set expires_at = now() where store_id = ${key.storeId}`;
  await kit.adminSql`delete from notes where store_id = ${key.storeId}`;
  const second = await send(testContext({ ...key, body: { text: 'another' } }));
  expect(second.replayed).toBe(false);
  expect(textOf(second.bytes)).not.toBe(textOf(first.bytes));
  expect(await recordsOf(key.storeId)).toBe(1);
});

test('the same key in two stores, or for two paths, counts as two keys', async () => {
  const [one, other] = [newKey(), newKey()];
  await send(testContext(one));
  expect(await send(testContext({ ...one, storeId: other.storeId }))).toMatchObject({ replayed: false });
  const elsewhere = send(testContext({ ...one, idempotencyScope: 'POST /elsewhere' }));
  await expect(elsewhere).rejects.toMatchObject({ code: 'lead_exists' });
});

test('requests that wait for the first one hold no connection', async () => {
  const database = createDatabase({ url: kit.url, size: 2, log: silentLog(), name: 'waiting' });
  const key = newKey();
  const { promise: finish, resolve: letFinish } = Promise.withResolvers<void>();
  const { promise: running, resolve: runs } = Promise.withResolvers<void>();
  const during = () => {
    runs();
    return finish;
  };
  const first = send(testContext(key), { during, database });
  await running;
  const others = Array.from({ length: 20 }, () => send(testContext(key), { during, database }));
  await waitFor(() => database.stats().busy === 1, { description: 'all other requests wait' });
  const scope = { storeId: key.storeId, deadline: Date.now() + 30_000 };
  expect(await database.read(scope, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
  letFinish();
  expect((await first).replayed).toBe(false);
  expect((await Promise.all(others)).every(({ replayed }) => replayed)).toBe(true);
  await database.close();
});

test('a request gets idempotency_in_progress when the first one does not finish in time', async () => {
  const key = newKey();
  const { promise: finish, resolve: letFinish } = Promise.withResolvers<void>();
  const { promise: running, resolve: runs } = Promise.withResolvers<void>();
  const first = send(testContext(key), {
    during: () => {
      runs();
      return finish;
    },
  });
  await running;
  // On a machine that stands still an attempt can miss its own deadline.
  const error = await waitFor(
    async () => {
      const hasty = testContext({ ...key, timeoutMs: 600 });
      const refused = await send(hasty).catch((thrown) => thrown);
      return refused.code === 'idempotency_in_progress' && Date.now() < hasty.deadline && refused;
    },
    { description: 'idempotency_in_progress before the deadline' },
  );
  expect(error).toMatchObject({ retryAfterSeconds: 1 });
  letFinish();
  await first;
});

test('without a key every request runs', async () => {
  const context = testContext();
  expect((await send(context)).headers).toEqual({ etag: '"v1"' });
  await expect(send(context)).rejects.toMatchObject({ code: 'lead_exists' });
  expect(await recordsOf(context.storeId)).toBe(0);
});

test('the purge deletes only expired records, in batches', async () => {
  const kept = randomUUID();
  await Promise.all(Array.from({ length: 7 }, () => send(testContext(newKey()))));
  await kit.adminSql`update idempotency_records set expires_at = now() - interval '1 s'`;
  await send(testContext(newKey(kept)));
  expect(await purgeIdempotency(kit.systemDatabase, { batch: 3 })).toBeGreaterThanOrEqual(7);
  expect(await kit.adminSql`select store_id from idempotency_records`).toEqual([{ store_id: kept }]);
  expect(await purgeIdempotency(kit.systemDatabase)).toBe(0);
});
