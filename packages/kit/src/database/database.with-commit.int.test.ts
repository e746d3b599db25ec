import { randomUUID } from 'node:crypto';
import { silentLog } from '@mostrador/testing/context';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database, isUniqueViolation, type StoreScope, type TransactionSql } from './database.ts';

let kit: TestDatabase;
let database: Database;
beforeAll(async () => {
  kit = await createKitDatabase();
  // One connection, so that a transaction finds what the one before it has left.
  database = createDatabase({ url: kit.url, size: 1, log: silentLog(), name: 'with commit' });
});
afterAll(async () => {
  await database?.close();
  await kit?.drop();
});

const scopeOf = (storeId: string): StoreScope => ({ storeId, deadline: Date.now() + 30_000 });
const addNote = (sql: TransactionSql, storeId: string, text: string) =>
  sql`insert into notes (store_id, text) values (${storeId}, ${text})`;
const textsOf = async (storeId: string) =>
  (await kit.adminSql`select text from notes where store_id = ${storeId} order by text`).map(({ text }) => text);

test('a statement that is sent with the commit is committed with the others', async () => {
  const storeId = randomUUID();
  const answer = await database.write(scopeOf(storeId), async (sql) => {
    await addNote(sql, storeId, 'a');
    for (const text of ['b', 'c']) sql.withCommit(addNote(sql, storeId, text));
    return 'done';
  });
  expect(answer).toBe('done');
  expect(await textsOf(storeId)).toEqual(['a', 'b', 'c']);
});

test('when it fails, nothing is committed, the caller gets its error, and the connection is clean', async () => {
  const storeId = randomUUID();
  const adding = database.write(scopeOf(storeId), async (sql) => {
    await addNote(sql, storeId, 'a');
    for (const text of ['a', 'b']) sql.withCommit(addNote(sql, storeId, text));
  });
  const error = await adding.catch((reason: unknown) => reason);
  expect(isUniqueViolation(error, 'notes_store_id_text_key')).toBe(true);
  expect(await textsOf(storeId)).toEqual([]);
  await database.write(scopeOf(storeId), async (sql) => sql.withCommit(addNote(sql, storeId, 'a')));
  expect(await textsOf(storeId)).toEqual(['a']);
});

test('a failure that the work swallowed before it stays the error of the work', async () => {
  const storeId = randomUUID();
  const swallowing = database.write(scopeOf(storeId), async (sql) => {
    await sql`select 1 / 0`.catch(() => {});
    sql.withCommit(addNote(sql, storeId, 'a'));
  });
  await expect(swallowing).rejects.toThrow(/rolled the transaction back/);
  expect(await textsOf(storeId)).toEqual([]);
});

test('when the work throws after it, nothing is committed', async () => {
  const storeId = randomUUID();
  const failing = database.write(scopeOf(storeId), async (sql) => {
    sql.withCommit(addNote(sql, storeId, 'a'));
    throw new Error('changed its mind');
  });
  await expect(failing).rejects.toThrow('changed its mind');
  expect(await textsOf(storeId)).toEqual([]);
});

test('a deadlock in it runs the transaction again', async () => {
  const deadlock = async () => {
    const storeId = randomUUID();
    await kit.database.write(scopeOf(storeId), async (sql) => {
      for (const text of ['a', 'b']) sql.withCommit(addNote(sql, storeId, text));
    });
    let [arrived, runs] = [0, 0];
    const both = Promise.withResolvers<void>();
    const lockBoth = (first: string, second: string) =>
      kit.database.write(scopeOf(storeId), async (sql) => {
        runs++;
        await sql`select 1 from notes where text = ${first} for update`;
        arrived++;
        if (arrived === 2) both.resolve();
        await both.promise;
        sql.withCommit(sql`select 1 from notes where text = ${second} for update`);
      });
    await Promise.all([lockBoth('a', 'b'), lockBoth('b', 'a')]);
    return runs;
  };
  // On a machine that stands still, one of them can reach the limit of 5 s for a lock, which no retry follows.
  expect(await waitFor(deadlock, { description: 'two transactions that deadlock' })).toBeGreaterThanOrEqual(3);
});
