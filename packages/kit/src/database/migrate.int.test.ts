import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { waitFor } from '@mostrador/testing/wait';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compareMigrations, migrate } from './migrate.ts';

const schema = 'messaging';
let kit: TestDatabase;
let owner: postgres.Sql;
let directory: string;

beforeEach(async () => {
  kit = await createTestDatabase(schema);
  await kit.adminSql.unsafe(`drop schema ${schema} cascade; create schema ${schema} authorization ${schema}_owner`);
  owner = postgres(kit.ownerUrl, { max: 2, onnotice: () => {} });
  directory = await mkdtemp(join(tmpdir(), 'mostrador-migrations-'));
});
afterEach(async () => {
  for (const transaction of transactions.splice(0)) await transaction.end();
  await owner.end();
  await kit.drop();
  await rm(directory, { recursive: true });
});

const file = (name: string, text: string) => writeFile(join(directory, name), text);
const run = (patienceMs?: number) =>
  migrate({ url: kit.ownerUrl, schema, directory, log: { info: () => {} }, patienceMs });
const namesOf = (sql: postgres.Sql) =>
  sql`select name from schema_migrations order by name`.then((rows) => rows.map(({ name }) => name));

test('files run in the order of their names, each once', async () => {
  await file('0002-second.sql', 'insert into things values (2);');
  await file('0001-first.sql', 'create table things (n int); insert into things values (1);');
  expect(await run()).toMatchObject({ applied: ['0001-first.sql', '0002-second.sql'] });
  await file('0003-third.sql', 'insert into things values (3);');
  expect(await run()).toMatchObject({ applied: ['0003-third.sql'] });
  expect(await run()).toMatchObject({ applied: [] });
  expect(await owner`select n from things order by n`).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test('of several concurrent migrations one works, and the others find nothing to do', async () => {
  await file('0001-things.sql', 'create table things (n int); select pg_sleep(0.3); insert into things values (1);');
  const outcomes = await Promise.all([run(), run(), run()]);
  expect(outcomes.flatMap(({ applied }) => applied)).toEqual(['0001-things.sql']);
  expect(await owner`select n from things`).toHaveLength(1);
});

test('an applied file that has changed is an error, and nothing more is applied', async () => {
  await file('0001-things.sql', 'create table things (n int);');
  await run();
  await file('0001-things.sql', 'create table things (n bigint);');
  await file('0002-more.sql', 'create table more (n int);');
  await expect(run()).rejects.toThrow(/0001-things.sql has changed/);
  expect(await namesOf(owner)).toEqual(['0001-things.sql']);
});

test('a schema that is older than the first file is an error, and nothing is applied', async () => {
  await file('0001-things.sql', 'create table things (n int);');
  await run();
  await rm(join(directory, '0001-things.sql'));
  await file('0001-base.sql', 'create table things_of_all (n int);');
  await file('0002-more.sql', 'create table more (n int);');
  await expect(run()).rejects.toThrow(/messaging: the schema is older than 0001-base.sql/);
  expect(await namesOf(owner)).toEqual(['0001-things.sql']);
});

test('a file that fails changes nothing, and the files before it stay applied', async () => {
  await file('0001-good.sql', 'create table good (n int);');
  await file('0002-bad.sql', 'create table half (n int); select 1 / 0;');
  await expect(run()).rejects.toThrow(/division by zero/);
  expect(await namesOf(owner)).toEqual(['0001-good.sql']);
  expect((await owner`select to_regclass('half') as half`)[0]).toEqual({ half: null });
  await file('0002-bad.sql', 'create table whole (n int);');
  expect(await run()).toMatchObject({ applied: ['0002-bad.sql'] });
});

const transactions: { end(): Promise<void> }[] = [];
/** A transaction that has written into the table, and stays open until `end`, or the end of the test. */
async function openTransaction(value: number) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const ended = owner.begin(async (sql) => {
    await sql`insert into things values (${value})`;
    begin();
    await released;
  });
  await begun;
  const transaction = {
    async end() {
      release();
      await ended;
    },
  };
  transactions.push(transaction);
  return transaction;
}
/** The process of PostgreSQL that waits for a lock with this statement. */
const waitingFor = async (statement: string): Promise<number> => {
  const find = () => kit.adminSql<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query ilike ${`%${statement}%`}
      and pid <> pg_backend_pid()`;
  await waitFor(async () => (await find()).length > 0, { description: `a session waits with ${statement}` });
  return Number((await find())[0]?.pid);
};

describe('an index whose build failed', () => {
  const uniqueIndex = '-- no-transaction\ncreate unique index concurrently if not exists by_n on things (n);';
  const found = () => kit.adminSql<{ oid: number; valid: boolean }[]>`
    select indexrelid::int as oid, indisvalid as valid from pg_index where indexrelid = to_regclass('by_n')`;
  const validity = async () => (await found()).map(({ valid }) => valid);
  beforeEach(async () => {
    await file('0001-things.sql', 'create table things (n int);');
    await run();
    await file('0002-index.sql', uniqueIndex);
  });
  const failOfDuplicate = async () => {
    await owner`insert into things values (1), (1)`;
    await expect(run()).rejects.toThrow(/could not create unique index/);
    expect(await validity()).toEqual([false]);
  };
  const removeDuplicate = () => owner`delete from things where ctid in (select max(ctid) from things)`;

  test('because of the rows does not count as applied, and is made again by one of several runs', async () => {
    await failOfDuplicate();
    await expect(run()).rejects.toThrow(/could not create unique index/);
    await removeDuplicate();
    const runs = await Promise.all([run(), run(), run()]);
    expect(runs.flatMap(({ applied }) => applied)).toEqual(['0002-index.sql']);
    expect(await validity()).toEqual([true]);
  });

  test('because it was cancelled is made again', async () => {
    const transaction = await openTransaction(1);
    const cancelled = run();
    await Promise.all([
      expect(cancelled).rejects.toMatchObject({ code: '57014' }),
      waitingFor('concurrently').then((pid) => kit.adminSql`select pg_cancel_backend(${pid})`),
    ]);
    expect(await validity()).toEqual([false]);
    await transaction.end();
    expect(await run()).toMatchObject({ applied: ['0002-index.sql'] });
    expect(await validity()).toEqual([true]);
  });

  test('is made again where an earlier version has counted it as applied', async () => {
    await failOfDuplicate();
    const checksum = createHash('sha256').update(uniqueIndex).digest('hex');
    await owner`insert into schema_migrations (name, checksum) values ('0002-index.sql', ${checksum})`;
    expect((await compareMigrations(owner, schema, directory)).invalid).toEqual(['by_n']);
    await expect(run()).rejects.toThrow(/could not create unique index/);
    await removeDuplicate();
    expect(await run()).toEqual({ applied: [], waiting: [] });
    expect(await validity()).toEqual([true]);
    expect((await compareMigrations(owner, schema, directory)).invalid).toEqual([]);
  });

  test('is not confused with one that another session still builds: the run waits for it, and keeps it', async () => {
    const transaction = await openTransaction(1);
    const other = kit.adminSql.unsafe('create unique index concurrently by_n on things (n)').execute();
    await waitingFor('concurrently');
    const [built] = await found();
    expect(built?.valid).toBe(false);
    const said: string[] = [];
    const log = { info: (text: string) => void said.push(text) };
    const waiting = migrate({ url: kit.ownerUrl, schema, directory, log });
    await waitFor(() => said.length > 0, { description: 'the run says that it waits' });
    expect(said).toEqual(['messaging: waits until another session has built its index']);
    await transaction.end();
    await other;
    expect(await waiting).toMatchObject({ applied: ['0002-index.sql'] });
    expect(await found()).toEqual([{ oid: built?.oid, valid: true }]);
  });
});

test('building an index blocks no request, and waits for long transactions instead of leaving it invalid', async () => {
  await file('0001-things.sql', 'create table things (n int);');
  await run();
  await file('0002-index.sql', '-- no-transaction\ncreate index concurrently if not exists by_n on things (n);');
  const longTransaction = await openTransaction(1);
  const migration = run();
  const waitsLong = () =>
    kit.adminSql`select 1 from pg_stat_activity
      where query like '%concurrently%' and wait_event_type = 'Lock' and now() - query_start > interval '2.2 s'`;
  await waitFor(async () => (await waitsLong()).length > 0, { description: 'it waits past the lock timeout' });
  await owner`insert into things values (2)`;
  await longTransaction.end();
  expect(await migration).toMatchObject({ applied: ['0002-index.sql'] });
  expect(await owner`select indisvalid from pg_index where indexrelid = 'by_n'::regclass`).toEqual([
    { indisvalid: true },
  ]);
});

test('a migration waits in short attempts for a lock that requests hold, and then succeeds', async () => {
  await file('0001-things.sql', 'create table things (n int);');
  await run();
  await file('0002-column.sql', 'alter table things add column m int;');
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  const request = owner.begin(async (sql) => {
    await sql`lock table things in access share mode`;
    hold();
    await released;
  });
  await held;
  await expect(run(0)).rejects.toMatchObject({ code: '55P03' });
  const patient = run();
  // Between the attempts requests get through.
  await kit.adminSql`insert into things values (1)`;
  release();
  await request;
  expect(await patient).toMatchObject({ applied: ['0002-column.sql'] });
});

test('a file that contracts waits until it is asked for, and a process does not need it', async () => {
  await file('0001-things.sql', 'create table things (n int, m int);');
  await file('0002-no-m.sql', '-- contract\nalter table things drop column m;');
  await file('0003-o.sql', 'alter table things add column o int;');
  expect(await run()).toEqual({ applied: ['0001-things.sql', '0003-o.sql'], waiting: ['0002-no-m.sql'] });
  expect((await compareMigrations(owner, schema, directory)).missing).toEqual([]);
  const contracted = await migrate({ url: kit.ownerUrl, schema, directory, log: { info: () => {} }, contract: true });
  expect(contracted).toEqual({ applied: ['0002-no-m.sql'], waiting: [] });
  expect(await run()).toEqual({ applied: [], waiting: [] });
});

test('file names with an ambiguous order are rejected', async () => {
  await file('1-things.sql', 'select 1;');
  await expect(run()).rejects.toThrow(/NNNN-name.sql/);
  await rm(join(directory, '1-things.sql'));
  await file('0001-a.sql', 'select 1;');
  await file('0001-b.sql', 'select 1;');
  await expect(run()).rejects.toThrow(/number/);
});
