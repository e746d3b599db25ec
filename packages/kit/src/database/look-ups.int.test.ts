import { randomUUID } from 'node:crypto';
import { silentLog } from '@mostrador/testing/context';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database, type StoreScope } from './database.ts';

let kit: TestDatabase;
beforeAll(async () => {
  kit = await createKitDatabase();
});
afterAll(() => kit.drop());

const newScope = (timeoutMs = 30_000): StoreScope => ({ storeId: randomUUID(), deadline: Date.now() + timeoutMs });

async function withPool(size: number, work: (database: Database) => Promise<void>): Promise<void> {
  const database = createDatabase({ url: kit.url, size, log: silentLog(), name: 'look-ups' });
  await work(database).finally(() => database.close());
}

const addNote = async (scope: StoreScope, text: string = scope.storeId) => {
  await kit.database.write(scope, (sql) => sql`insert into notes (store_id, text) values (${scope.storeId}, ${text})`);
  return scope;
};
/** Names no store, so row-level security alone decides. */
const findAll = (database: Database, scope: StoreScope) =>
  database.lookUp(scope, (sql) => sql<{ text: string }[]>`select text from notes`);
const findBackend = async (database: Database, scope: StoreScope) =>
  (await database.lookUp(scope, (sql) => sql<{ pid: number }[]>`select pg_backend_pid() as pid`))[0]?.pid;

test('look-ups of one tick share a connection, and each sees only its own store', () =>
  withPool(8, async (database) => {
    const scopes = await Promise.all(Array.from({ length: 5 }, () => addNote(newScope())));
    const mixed = [...scopes, ...scopes, ...scopes];
    const found = await Promise.all(mixed.map((scope) => findAll(database, scope)));
    expect(found.map((rows) => rows.map(({ text }) => text))).toEqual(mixed.map(({ storeId }) => [storeId]));
    const backends = await Promise.all(mixed.map((scope) => findBackend(database, scope)));
    expect(new Set(backends).size).toBe(1);
  }));

test('many look-ups of one tick use several connections', () =>
  withPool(8, async (database) => {
    const backends = await Promise.all(Array.from({ length: 40 }, () => findBackend(database, newScope())));
    expect(new Set(backends).size).toBe(3);
  }));

test('whatever a connection did before, a look-up and a read see their own store', () =>
  withPool(1, async (database) => {
    const [mine, other] = [await addNote(newScope()), await addNote(newScope())];
    const read = (scope: StoreScope) => database.read(scope, (sql) => sql<{ text: string }[]>`select text from notes`);
    const before: ((scope: StoreScope) => Promise<unknown>)[] = [
      (scope) => findAll(database, scope),
      read,
      (scope) => database.write(scope, (sql) => sql`select text from notes`),
      (scope) => database.write(scope, () => Promise.reject(new Error('rolled back'))).catch(() => {}),
      (scope) => database.lookUp(scope, (sql) => sql`select 1 / 0`).catch(() => {}),
    ];
    for (const earlier of before) {
      for (const [first, second] of [
        [mine, other],
        [mine, mine],
      ] as const) {
        for (const find of [(scope: StoreScope) => findAll(database, scope), read]) {
          await earlier(first);
          expect((await find(second)).map(({ text }) => text)).toEqual([second.storeId]);
        }
      }
    }
  }));

test('a look-up that fails does not fail the others of its tick', () =>
  withPool(1, async (database) => {
    const scope = await addNote(newScope());
    const outcomes = await Promise.allSettled([
      findAll(database, scope),
      database.lookUp(scope, (sql) => sql`select 1 / 0`),
      findAll(database, scope),
      database.lookUp(newScope(), (sql) => sql`select 'x'::uuid`),
      findAll(database, scope),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'rejected', 'fulfilled'],
      ...['rejected', 'fulfilled'],
    ]);
  }));

test('look-ups on a connection that the server ends are unavailable, and the next one uses another', () =>
  withPool(1, async (database) => {
    const scope = await addNote(newScope());
    const pid = await findBackend(database, scope);
    const sleeping = Promise.allSettled([
      database.lookUp(scope, (sql) => sql`select pg_sleep(60)`),
      findAll(database, scope),
    ]);
    await kit.adminSql`
      select pg_terminate_backend(pid) from pg_stat_activity, pg_sleep(0.1) where pid = ${pid ?? 0}`;
    for (const outcome of await sleeping) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'service_unavailable' } });
    }
    expect(await findAll(database, scope)).toHaveLength(1);
    expect(await findBackend(database, scope)).not.toBe(pid);
  }));

test('a look-up that hangs ends at the latest deadline of its tick, and its connection is never used again', () =>
  withPool(1, async (database) => {
    const scope = newScope();
    const pid = await findBackend(database, scope);
    const within = (ms: number) => ({ ...scope, deadline: Date.now() + ms });
    const outcomes = await Promise.allSettled([
      database.lookUp(within(100), (sql) => sql`select pg_sleep(60)`),
      findAll(database, within(300)),
    ]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'upstream_timeout' } });
    }
    expect(await findBackend(database, newScope())).not.toBe(pid);
  }));

test('a look-up without a free connection in time is unavailable', () =>
  withPool(1, async (database) => {
    const held = Promise.withResolvers<void>();
    const holding = database.read(newScope(), () => held.promise);
    await expect(findAll(database, newScope(50))).rejects.toMatchObject({ code: 'service_unavailable' });
    held.resolve();
    await holding;
  }));
