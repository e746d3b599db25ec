import { randomUUID } from 'node:crypto';
import { createSystemDatabase, type Sql, type StoreScope, type TransactionSql } from '@mostrador/kit/database/database';
import { silentLog } from '@mostrador/testing/context';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { openSnapshots, type Snapshots } from '@mostrador/testing/servers/snapshots';
import { createThingsDatabase, thingStatuses } from '@mostrador/testing/servers/things-database';
import { waitFor } from '@mostrador/testing/wait';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { foldChanges, rebuildTotals } from './totals.repository.ts';
import { createListTotals, type ListTotals } from './totals.ts';

let kit: TestDatabase;
let snapshots: Snapshots;
let listTotals: ListTotals<'things'>;
beforeAll(async () => {
  kit = await createThingsDatabase();
  snapshots = openSnapshots(kit);
  listTotals = newTotals();
});
afterAll(async () => {
  await snapshots?.close();
  await kit?.drop();
});

const newTotals = () =>
  createListTotals({
    lists: ['things'],
    database: kit.database,
    systemDatabase: kit.systemDatabase,
    log: silentLog(),
  });
const newScope = (storeId: string = randomUUID()): StoreScope => ({ storeId, deadline: Date.now() + 30_000 });
const write = <T>(storeId: string, work: (sql: TransactionSql) => PromiseLike<T>) =>
  kit.database.write(newScope(storeId), work);
const add = (storeId: string, status: string, count = 1, owner: string | null = null) =>
  write(
    storeId,
    (sql) => sql`
      insert into things (store_id, status, owner)
      select ${storeId}, ${status}, ${owner} from generate_series(1, ${count}::int)`,
  );
const addOwner = async (storeId: string) => {
  const id = randomUUID();
  await write(storeId, (sql) => sql`insert into owners (store_id, id) values (${storeId}, ${id})`);
  return id;
};
const fold = (totals = listTotals) => totals.run(new AbortController().signal);
const fromRows = () => Promise.reject(new Error('the rows were counted'));
/** The total of the store's things, which must be built. */
const totalOf = (storeId: string, status?: string) =>
  kit.database.read(newScope(storeId), (sql) =>
    listTotals.count(sql, storeId, { list: 'things', ...(status ? { statuses: [status] } : {}) }, fromRows),
  );
/** A store whose totals are built. */
const newStore = async (): Promise<string> => {
  const scope = newScope();
  await listTotals.rebuild(scope);
  return scope.storeId;
};
const changesOf = async (storeId: string) =>
  (await kit.adminSql`select change from list_total_changes where store_id = ${storeId} order by id`).map(
    ({ change }) => change,
  );
/** Begins a transaction of the store on a connection of its own, and returns how to end it. */
async function open(storeId: string, work: (sql: postgres.Sql) => Promise<unknown>, url = kit.url) {
  const connection = postgres(url, { max: 1, onnotice: () => {} });
  const sql = await connection.reserve();
  await sql`begin`;
  await sql`select set_config('mostrador.store_id', ${storeId}, true)`;
  const [{ pid } = { pid: 0 }] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  await work(sql as unknown as postgres.Sql);
  return {
    pid,
    async end(how: 'commit' | 'rollback') {
      await sql.unsafe(how);
      sql.release();
      await connection.end();
    },
  };
}
const insertOne = (storeId: string, status: string) => (sql: postgres.Sql) =>
  sql`insert into things (store_id, status) values (${storeId}, ${status})`;

test('rows are counted until the totals are built, and never after', async () => {
  const storeId = randomUUID();
  await add(storeId, 'new', 3);
  // As before the triggers: the rows have no changes.
  await kit.adminSql`delete from list_total_changes where store_id = ${storeId}`;
  await add(storeId, 'open', 2);
  const totals = newTotals();
  const count = () =>
    kit.database.read(newScope(storeId), (sql) =>
      totals.count(sql, storeId, { list: 'things' }, () => Promise.resolve(-1)),
    );
  expect([await count(), await count()]).toEqual([-1, -1]);
  await fold(totals);
  expect(await count()).toBe(5);
  expect([await totalOf(storeId, 'new'), await totalOf(storeId, 'open')]).toEqual([3, 2]);
});

test('a list that cannot be built is counted again, and keeps no other list from being built', async () => {
  const [failing, storeId] = [randomUUID(), randomUUID()];
  const warnings: unknown[] = [];
  const totals = createListTotals({
    lists: ['things'],
    database: {
      ...kit.database,
      async write(scope, work) {
        if (scope.storeId === failing) throw new Error('too large');
        return await kit.database.write(scope, work);
      },
    },
    systemDatabase: kit.systemDatabase,
    log: Object.assign(Object.create(silentLog()), { warn: (members: object) => warnings.push(members) }),
  });
  const count = (store: string) =>
    kit.database.read(newScope(store), (sql) =>
      totals.count(sql, store, { list: 'things' }, () => Promise.resolve(-1)),
    );
  for (const store of [failing, storeId]) expect(await count(store)).toBe(-1);
  await fold(totals);
  expect(warnings).toMatchObject([{ store_id: failing, list: 'things' }]);
  expect([await count(failing), await count(storeId)]).toEqual([-1, 0]);
});

test('a transaction that commits after a fold that ran beside it is counted once', async () => {
  const storeId = await newStore();
  await add(storeId, 'new');
  const late = await open(storeId, insertOne(storeId, 'new'));
  await add(storeId, 'new');
  expect(await fold()).toBeGreaterThanOrEqual(2);
  expect(await totalOf(storeId)).toBe(2);
  await late.end('commit');
  expect(await totalOf(storeId)).toBe(3);
  await fold();
  expect([await totalOf(storeId), await changesOf(storeId)]).toEqual([3, []]);
});

test('a transaction that rolls back is not counted', async () => {
  const storeId = await newStore();
  await (await open(storeId, insertOne(storeId, 'new'))).end('rollback');
  await fold();
  expect(await totalOf(storeId)).toBe(0);
});

test('a snapshot has the same total before and after others commit and fold', async () => {
  const storeId = await newStore();
  await add(storeId, 'new', 2);
  const totals = await snapshots.read(storeId, async (connection) => {
    const sql = connection as unknown as Sql;
    const total = () => listTotals.count(sql, storeId, { list: 'things' }, fromRows);
    const before = await total();
    await add(storeId, 'new', 3);
    await fold();
    return [before, await total()];
  });
  expect([...totals, await totalOf(storeId)]).toEqual([2, 2, 5]);
});

test('two writers of one store change rows of one group while neither has committed', async () => {
  const storeId = await newStore();
  await add(storeId, 'new', 2);
  const [first, second] = await kit.adminSql`select id from things where store_id = ${storeId}`;
  const work = (id: string) => async (sql: postgres.Sql) => {
    await sql`set local lock_timeout = 1`;
    await insertOne(storeId, 'new')(sql);
    await sql`update things set status = 'done' where store_id = ${storeId} and id = ${id}`;
    await sql`delete from things where store_id = ${storeId} and id = ${id}`;
  };
  const writers = [await open(storeId, work(first?.id)), await open(storeId, work(second?.id))];
  const [waiting] = await kit.adminSql`
    select count(*)::int as count from pg_locks where not granted and pid = any(${writers.map(({ pid }) => pid)})`;
  expect(waiting).toEqual({ count: 0 });
  for (const writer of writers) await writer.end('commit');
  expect([await totalOf(storeId), await totalOf(storeId, 'new'), await totalOf(storeId, 'done')]).toEqual([2, 2, 0]);
});

test('an update that moves nothing writes no change', async () => {
  const storeId = await newStore();
  await add(storeId, 'new', 3);
  await fold();
  await write(storeId, (sql) => sql`update things set note = 'x', status = status where store_id = ${storeId}`);
  expect(await changesOf(storeId)).toEqual([]);
});

test('a statement that adds or deletes many rows writes one change for each group', async () => {
  const storeId = await newStore();
  await add(storeId, 'new', 1000);
  expect(await changesOf(storeId)).toEqual([1000]);
  await write(storeId, (sql) => sql`delete from things where store_id = ${storeId}`);
  expect(await changesOf(storeId)).toEqual([1000, -1000]);
});

test('what a foreign key changes is counted', async () => {
  const storeId = await newStore();
  const id = await addOwner(storeId);
  await add(storeId, 'new', 2, id);
  await write(storeId, (sql) => sql`delete from owners where store_id = ${storeId} and id = ${id}`);
  const of = (owners: (string | null)[]) =>
    kit.database.read(newScope(storeId), (sql) => listTotals.count(sql, storeId, { list: 'things', owners }, fromRows));
  expect([await of([id]), await of([null]), await of([id, null]), await of([])]).toEqual([0, 2, 2, 0]);
});

test('two folds at once add each change once', async () => {
  const storeId = await newStore();
  for (let n = 0; n < 50; n++) await add(storeId, thingStatuses[n % 3] as string);
  const parts = () => kit.systemDatabase.write(newScope(), (sql) => foldChanges(sql, 7));
  await waitFor(async () => (await Promise.all([parts(), parts()])).every((folded) => folded === 0), {
    description: 'all changes are folded',
  });
  expect([await totalOf(storeId), await changesOf(storeId)]).toEqual([50, []]);
});

test('a reader beside folds and rebuilds always finds each row once', async () => {
  const storeId = await newStore();
  for (let n = 0; n < 60; n++) await add(storeId, thingStatuses[n % 3] as string);
  let folding = true;
  const reading = Array.from({ length: 4 }, async () => {
    const found = new Set<number>();
    while (folding) found.add(await totalOf(storeId));
    return [...found];
  });
  for (let left = 1; left > 0; ) left = await kit.systemDatabase.write(newScope(), (sql) => foldChanges(sql, 1));
  for (let n = 0; n < 20; n++) await listTotals.rebuild(newScope(storeId));
  folding = false;
  expect(await Promise.all(reading)).toEqual([[60], [60], [60], [60]]);
});

test('a fold does nothing while another one runs', async () => {
  const storeId = await newStore();
  await add(storeId, 'new');
  const other = await open(storeId, (sql) => foldChanges(sql as unknown as TransactionSql, 100), kit.systemUrl);
  await add(storeId, 'new');
  expect(await fold()).toBe(0);
  await other.end('commit');
  expect(await fold()).toBeGreaterThanOrEqual(1);
  expect(await totalOf(storeId)).toBe(2);
});

test('a fold that dies in the middle loses nothing', async () => {
  const storeId = await newStore();
  await add(storeId, 'new', 4);
  const system = createSystemDatabase({ url: kit.systemUrl, size: 1, log: silentLog(), name: 'dying' });
  const dying = system.write(newScope(), async (sql) => {
    await foldChanges(sql, 100);
    const [{ pid } = { pid: 0 }] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    await kit.adminSql`select pg_terminate_backend(${pid})`;
  });
  await expect(dying).rejects.toThrow();
  await system.close();
  expect([await totalOf(storeId), await changesOf(storeId)]).toEqual([4, [4]]);
  await fold();
  expect(await totalOf(storeId)).toBe(4);
});

test('a rebuild waits for a fold, and counts what commits beside it once', async () => {
  const storeId = await newStore();
  await add(storeId, 'new', 2);
  const late = await open(storeId, insertOne(storeId, 'new'));
  const folding = await open(storeId, (sql) => foldChanges(sql as unknown as TransactionSql, 100), kit.systemUrl);
  const rebuilding = listTotals.rebuild(newScope(storeId));
  await waitFor(
    async () => (await kit.adminSql`select 1 from pg_locks where locktype = 'advisory' and not granted`).length > 0,
    { description: 'the rebuild waits' },
  );
  await add(storeId, 'new');
  await folding.end('commit');
  await rebuilding;
  expect([await totalOf(storeId), await changesOf(storeId)]).toEqual([3, []]);
  await late.end('commit');
  expect([await totalOf(storeId), await changesOf(storeId)]).toEqual([4, [1]]);
});

test('a rebuild that is open changes no total that others read', async () => {
  const storeId = await newStore();
  await add(storeId, 'new', 2);
  const rebuilding = await open(storeId, (sql) => rebuildTotals(sql as unknown as TransactionSql, storeId, 'things'));
  await add(storeId, 'new');
  expect([await totalOf(storeId), await fold()]).toEqual([3, 0]);
  await rebuilding.end('commit');
  expect(await totalOf(storeId)).toBe(3);
});

test('verify names each wrong total of the store, and a rebuild repairs it', async () => {
  const storeId = await newStore();
  const id = await addOwner(storeId);
  await add(storeId, 'new', 2, id);
  await add(storeId, 'open');
  await fold();
  await add(storeId, 'done');
  const verify = () => listTotals.verify(newScope(storeId));
  expect(await verify()).toEqual([]);
  await kit.adminSql`update list_totals set rows = 5 where store_id = ${storeId} and status = 'new'`;
  await kit.adminSql`delete from list_totals where store_id = ${storeId} and status = 'open'`;
  await kit.adminSql`
    insert into list_totals (store_id, list, status, rows) values (${storeId}, 'things', 'odd', 1)`;
  expect(await verify()).toEqual([
    { list: 'things', status: 'new', owner: id, is: 5, should_be: 2 },
    { list: 'things', status: 'odd', owner: null, is: 1, should_be: 0 },
    { list: 'things', status: 'open', owner: null, is: 0, should_be: 1 },
  ]);
  await listTotals.rebuild(newScope(storeId));
  expect(await verify()).toEqual([]);
  expect(await totalOf(storeId)).toBe(4);
});

test('the stores with built totals are listed in parts', async () => {
  const stores = [await newStore(), await newStore()].sort();
  const all = await listTotals.listStores(Date.now() + 30_000, { after: null, limit: 1000 });
  expect(all.left).toBe(0);
  expect(all.stores).toEqual(all.stores.toSorted());
  expect(all.stores).toEqual(expect.arrayContaining(stores));
  const [first] = all.stores;
  expect(await listTotals.listStores(Date.now() + 30_000, { after: null, limit: 1 })).toEqual({
    stores: [first],
    left: all.stores.length - 1,
  });
  const { stores: rest } = await listTotals.listStores(Date.now() + 30_000, { after: first ?? null, limit: 1000 });
  expect(rest).toEqual(all.stores.slice(1));
});

test('a request sees and writes only the totals of its own store', async () => {
  const [mine, other] = [await newStore(), await newStore()];
  for (const storeId of [mine, other]) await add(storeId, 'new');
  await fold();
  for (const storeId of [mine, other]) await add(storeId, 'new');
  for (const table of ['list_totals', 'list_total_changes', 'list_totals_built']) {
    const seen = await kit.database.read(newScope(mine), (sql) => sql`select distinct store_id from ${sql(table)}`);
    expect(seen).toEqual([{ store_id: mine }]);
    const row = {
      store_id: other,
      list: 'things',
      ...{ list_totals: { rows: 1 }, list_total_changes: { change: 1 } }[table],
    };
    await expect(write(mine, (sql) => sql`insert into ${sql(table)} ${sql(row)}`)).rejects.toThrow(
      'row-level security',
    );
  }
  await write(mine, (sql) => sql`delete from list_totals`);
  await write(mine, (sql) => sql`delete from list_total_changes`);
  expect(await totalOf(other)).toBe(2);
});

test('the job folds and builds until it is stopped, and is silent while PostgreSQL does not answer', async () => {
  const storeId = randomUUID();
  await add(storeId, 'new', 2);
  const totals = newTotals();
  await kit.database.read(newScope(storeId), (sql) =>
    totals.count(sql, storeId, { list: 'things' }, () => Promise.resolve(2)),
  );
  totals.job.start();
  await waitFor(() => totalOf(storeId), { description: 'the job builds the list' });
  await add(storeId, 'new');
  await waitFor(async () => (await changesOf(storeId)).length === 0, { description: 'the job folds the change' });
  await totals.job.stop();
  expect(await totalOf(storeId)).toBe(3);

  const errors: unknown[] = [];
  const gone = createSystemDatabase({
    url: 'postgres://messaging_system:x@127.0.0.1:1/none',
    size: 1,
    log: silentLog(),
    name: 'gone',
  });
  const log = Object.assign(Object.create(silentLog()), { error: (error: unknown) => errors.push(error) });
  let reads = 0;
  const failing = createListTotals({
    lists: ['things'],
    database: kit.database,
    systemDatabase: {
      ...gone,
      read: (scope, query) => {
        reads += 1;
        return gone.read(scope, query);
      },
    },
    log,
  });
  failing.job.start();
  await waitFor(() => reads > 0, { description: 'the job has tried' });
  await failing.job.stop();
  await gone.close();
  expect(errors).toEqual([]);
});
