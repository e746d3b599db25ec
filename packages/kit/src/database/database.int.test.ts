import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { silentLog } from '@mostrador/testing/context';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database, isUniqueViolation, type StoreScope, type TransactionSql } from './database.ts';

let kit: TestDatabase;
beforeAll(async () => {
  kit = await createKitDatabase();
});
afterAll(() => kit.drop());

const scopeOf = (storeId: string, timeoutMs = 30_000): StoreScope => ({ storeId, deadline: Date.now() + timeoutMs });
const newScope = (timeoutMs?: number) => scopeOf(randomUUID(), timeoutMs);

/** A separate pool, for tests that break connections or count them. */
async function withPool(size: number, work: (database: Database) => Promise<void>, queue?: number): Promise<void> {
  const database = createDatabase({ url: kit.url, size, queue, log: silentLog(), name: 'pool under test' });
  await work(database).finally(() => database.close());
}

const addNote = (sql: TransactionSql, storeId: string, text: string) =>
  sql`insert into notes (store_id, text) values (${storeId}, ${text})`;
const textsOf = async (storeId: string) =>
  (await kit.adminSql`select text from notes where store_id = ${storeId} order by text`).map(({ text }) => text);
const backendOf = async (database: Database) =>
  database.read(newScope(), async (sql) => (await sql`select pg_backend_pid() as pid`)[0]?.pid as number);
const terminate = (pid: number) => kit.adminSql`select pg_terminate_backend(${pid}, 2000)`;

test('a read that misses its deadline fails with upstream_timeout, and its connection is never used again', () =>
  withPool(1, async (database) => {
    const before = await backendOf(database);
    const late = database.read(newScope(200), (sql) => sql`select pg_sleep(30)`);
    await expect(late).rejects.toMatchObject({ code: 'upstream_timeout' });
    expect(await backendOf(database)).not.toBe(before);
    const gone = async () => (await kit.adminSql`select 1 from pg_stat_activity where pid = ${before}`).length === 0;
    await waitFor(gone, { description: 'the server ends the abandoned statement' });
  }));

test('a transaction that misses its deadline commits nothing, inside a statement or between two', () =>
  withPool(2, async (database) => {
    await Promise.all([backendOf(database), backendOf(database)]); // both connections are open
    const slow = newScope(200);
    const inStatement = database.write(slow, async (sql) => {
      await addNote(sql, slow.storeId, 'late');
      await sql`select pg_sleep(30)`;
    });
    await expect(inStatement).rejects.toMatchObject({ code: 'upstream_timeout' });
    const absent = newScope(200);
    const { promise: elsewhere, resolve: comeBack } = Promise.withResolvers<void>();
    const outside = database.write(absent, async (sql) => {
      await addNote(sql, absent.storeId, 'late');
      await elsewhere;
      await addNote(sql, absent.storeId, 'later');
    });
    await expect(outside).rejects.toMatchObject({ code: 'upstream_timeout' });
    comeBack();
    await backendOf(database);
    expect([await textsOf(slow.storeId), await textsOf(absent.storeId)]).toEqual([[], []]);
  }));

test('a full queue rejects at once, and a waiting operation leaves the queue at its deadline', () =>
  withPool(
    1,
    async (database) => {
      const release = Promise.withResolvers<void>();
      const holding = database.read(newScope(), () => release.promise);
      const ended: string[] = [];
      const waiting = database.read(newScope(150), (sql) => sql`select 1`).finally(() => ended.push('waiting'));
      const refused = database.read(newScope(), (sql) => sql`select 1`).finally(() => ended.push('refused'));
      await Promise.all([
        expect(refused).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 }),
        expect(waiting).rejects.toMatchObject({ code: 'service_unavailable' }),
      ]);
      expect(ended).toEqual(['refused', 'waiting']);
      release.resolve();
      await holding;
      expect(database.stats()).toMatchObject({ size: 1, busy: 0, waiting: 0 });
    },
    1,
  ));

test('an operation whose deadline has passed does not start', async () => {
  const scope = newScope(-1);
  const late = kit.database.write(scope, (sql) => addNote(sql, scope.storeId, 'late'));
  await expect(late).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(await textsOf(scope.storeId)).toEqual([]);
});

test('transactions that deadlock run again, and both succeed', async () => {
  const scope = newScope();
  await kit.database.write(scope, async (sql) => {
    await addNote(sql, scope.storeId, 'a');
    await addNote(sql, scope.storeId, 'b');
  });
  const deadlock = async () => {
    let [arrived, runs] = [0, 0];
    const { promise: bothHoldOne, resolve } = Promise.withResolvers<void>();
    const lockBoth = (first: 'a' | 'b', second: 'a' | 'b') =>
      kit.database.write(scopeOf(scope.storeId), async (sql) => {
        runs++;
        await sql`select 1 from notes where text = ${first} for update`;
        arrived++;
        if (arrived === 2) resolve();
        await bothHoldOne;
        await sql`select 1 from notes where text = ${second} for update`;
      });
    await Promise.all([lockBoth('a', 'b'), lockBoth('b', 'a')]);
    return runs;
  };
  // On a machine that stands still, one of them can reach the limit of 5 s for a lock, which no retry follows.
  expect(await waitFor(deadlock, { description: 'two transactions that deadlock' })).toBeGreaterThanOrEqual(3);
});

test('a transaction that swallows a failed statement fails', async () => {
  const scope = newScope();
  await kit.database.write(scope, (sql) => addNote(sql, scope.storeId, 'first'));
  const swallowing = kit.database.write(scope, async (sql) => {
    await addNote(sql, scope.storeId, 'first').catch((error) => {
      expect(isUniqueViolation(error)).toBe(true);
      expect(isUniqueViolation(error, 'notes_store_id_text_key')).toBe(true);
      expect(isUniqueViolation(error, 'another_constraint')).toBe(false);
    });
  });
  await expect(swallowing).rejects.toThrow(/rolled the transaction back/);
});

test('of statements that are sent together, the one that failed says why, not those after it', async () => {
  const scope = newScope();
  const inSteps = async (sql: TransactionSql) => {
    const refused = async () => await sql`select 1 / 0`;
    return await refused(); // two promises deep, so those of the other statement are rejected first
  };
  const together = kit.database.write(scope, (sql) => Promise.all([inSteps(sql), addNote(sql, scope.storeId, 'late')]));
  await expect(together).rejects.toMatchObject({ code: '22012' });
});

test('a failed transaction leaves its connection clean', () =>
  withPool(1, async (database) => {
    const scope = newScope();
    const failing = database.write(scope, async (sql) => {
      await addNote(sql, scope.storeId, 'undone');
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    await expect(
      database.write(scope, () => {
        throw new Error('refused at once');
      }),
    ).rejects.toThrow('refused at once');
    const before = await backendOf(database);
    await database.write(scope, (sql) => addNote(sql, scope.storeId, 'done'));
    expect(await backendOf(database)).toBe(before);
    expect(await textsOf(scope.storeId)).toEqual(['done']);
  }));

test('a statement after the end of its transaction is rejected', async () => {
  const scope = newScope();
  const escaped = await kit.database.write(scope, async (sql) => ({ sql }));
  expect(() => escaped.sql`select 1`).toThrow(/ended/);
  expect(() => escaped.sql.unsafe('select 1')).toThrow(/ended/);
});

test('an idle connection that the server closed is replaced before the next operation', () =>
  withPool(1, async (database) => {
    const pid = await backendOf(database);
    await terminate(pid);
    await waitFor(async () => (await backendOf(database)) !== pid, { description: 'a new connection' });
  }));

test('a transaction whose connection breaks fails as not done, and never continues on another connection', () =>
  withPool(1, async (database) => {
    const scope = newScope();
    const broken = database.write(scope, async (sql) => {
      const [row] = await sql`select pg_backend_pid() as pid`;
      await addNote(sql, scope.storeId, 'before');
      await terminate(row?.pid);
      await Promise.all(['x', 'y', 'z'].map((text) => addNote(sql, scope.storeId, text)));
    });
    await expect(broken).rejects.toMatchObject({ code: 'service_unavailable' });
    await database.write(scope, (sql) => addNote(sql, scope.storeId, 'next'));
    expect(await textsOf(scope.storeId)).toEqual(['next']);
  }));

test.each([
  ['28P01', 'with a wrong password', { password: 'wrong' }],
  ['3D000', 'to a database that does not exist', { pathname: '/nowhere' }],
])('an operation fails with service_unavailable, %s, %s', async (code, _, change) => {
  const url = Object.assign(new URL(kit.url), change).href;
  const database = createDatabase({ url, size: 1, log: silentLog(), name: 'no login' });
  const refused = { code: 'service_unavailable', cause: { code } };
  await expect(database.read(newScope(), (sql) => sql`select 1`)).rejects.toMatchObject(refused);
  await expect(database.write(newScope(), (sql) => sql`select 1`)).rejects.toMatchObject(refused);
  await database.close();
});

test('a write fails with service_unavailable while the server closes every new connection', async () => {
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.end().resume());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = Object.assign(new URL(kit.url), { host: `127.0.0.1:${port}` }).href;
  const database = createDatabase({ url, size: 1, log: silentLog(), name: 'pool under test' });
  const write = () => database.write(newScope(), (sql) => sql`select 1`);
  await expect(write()).rejects.toMatchObject({ code: 'service_unavailable' });
  await expect(write()).rejects.toMatchObject({ code: 'service_unavailable' });
  await database.close();
  server.close();
});

test('a COMMIT whose answer is lost fails with upstream_timeout, because its outcome is unknown', () =>
  withPool(1, async (database) => {
    await kit.adminSql.unsafe(`
      create table slow_commits (store_id uuid);
      grant insert on slow_commits to public;
      create function be_slow() returns trigger language plpgsql as $$ begin perform pg_sleep(30); return null; end $$;
      create constraint trigger slow after insert on slow_commits deferrable initially deferred
        for each row execute function be_slow()`);
    const scope = newScope();
    const pid = await backendOf(database);
    const unknown = database.write(scope, (sql) => sql`insert into slow_commits values (${scope.storeId})`);
    const committing = async () =>
      (
        await kit.adminSql`select 1 from pg_stat_activity where pid = ${pid} and query like '%commit' and state = 'active'`
      ).length > 0;
    const [, killed] = await Promise.all([
      expect(unknown).rejects.toMatchObject({ code: 'upstream_timeout' }),
      waitFor(committing, { description: 'the COMMIT runs' }).then(() => terminate(pid)),
    ]);
    expect(killed).toHaveLength(1);
  }));

test('statements prepared before a migration work after it', () =>
  withPool(1, async (database) => {
    const scope = newScope();
    await kit.adminSql`create table versions (a int)`;
    await kit.adminSql`insert into versions values (1)`;
    await kit.adminSql`grant select on versions to public`;
    const read = () => database.read(scope, (sql) => sql`select * from versions where a > ${0}`);
    const write = () => database.write(scope, (sql) => sql`select * from versions where a > ${-1}`);
    await Promise.all([read(), write()]);
    await kit.adminSql`alter table versions add column b int default 2`;
    expect(await write()).toEqual([{ a: 1, b: 2 }]);
    expect(await read()).toEqual([{ a: 1, b: 2 }]);
  }));

test('a closed pool rejects new operations and waits for running ones', async () => {
  const database = createDatabase({ url: kit.url, size: 2, log: silentLog(), name: 'closing' });
  const running = database.read(newScope(), (sql) => sql`select pg_sleep(0.2)`);
  const closed = database.close();
  await expect(database.read(newScope(), (sql) => sql`select 1`)).rejects.toMatchObject({
    code: 'service_unavailable',
  });
  await running;
  await closed;
  const left = async () =>
    (await kit.adminSql`select 1 from pg_stat_activity where application_name = 'closing'`).length === 0;
  await waitFor(left, { description: 'no connection is left' });
});
