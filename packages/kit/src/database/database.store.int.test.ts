import { randomUUID } from 'node:crypto';
import { silentLog } from '@mostrador/testing/context';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, createSystemDatabase, type Sql, type StoreScope, type TransactionSql } from './database.ts';

let kit: TestDatabase;
beforeAll(async () => {
  kit = await createKitDatabase();
});
afterAll(() => kit.drop());

const newScope = (): StoreScope => ({ storeId: randomUUID(), deadline: Date.now() + 30_000 });
const addNote = (sql: TransactionSql, storeId: string, text: string) =>
  sql`insert into notes (store_id, text) values (${storeId}, ${text})`;
const textsOf = async (storeId: string) =>
  (await kit.adminSql`select text from notes where store_id = ${storeId} order by text`).map(({ text }) => text);

test('a statement that names no store sees only the rows of its own store', async () => {
  const [mine, other] = [newScope(), newScope()];
  await kit.database.write(mine, (sql) => addNote(sql, mine.storeId, 'mine'));
  await kit.database.write(other, (sql) => addNote(sql, other.storeId, 'other'));
  const seen = await kit.database.read(mine, (sql) => sql`select text from notes`);
  expect(seen.map(({ text }) => text)).toEqual(['mine']);
});

test("a write cannot put a row into another store, nor change or delete another store's", async () => {
  const [mine, other] = [newScope(), newScope()];
  await kit.database.write(other, (sql) => addNote(sql, other.storeId, 'untouched'));
  await expect(kit.database.write(mine, (sql) => addNote(sql, other.storeId, 'smuggled'))).rejects.toThrow(/row-level/);
  await kit.database.write(mine, (sql) => sql`update notes set text = 'changed'`);
  await kit.database.write(mine, (sql) => sql`delete from notes`);
  expect(await textsOf(other.storeId)).toEqual(['untouched']);
});

test('a connection without a store shows no rows', async () => {
  const scope = newScope();
  await kit.database.write(scope, (sql) => addNote(sql, scope.storeId, 'hidden'));
  const forgetful = createSystemDatabase({ url: kit.url, size: 1, log: silentLog(), name: 'forgetful' });
  expect(await forgetful.read(scope, (sql) => sql`select text from notes`)).toHaveLength(0);
  await forgetful.close();
});

test('reads in index order do not change how other work on their connection is planned', async () => {
  const database = createDatabase({ url: kit.url, size: 1, log: silentLog(), name: 'planning' });
  const scope = newScope();
  const mode = (sql: Sql) => sql<{ mode: string }[]>`
    select current_setting('plan_cache_mode') || ' ' || current_setting('enable_sort') as mode`;
  const modes = [
    database.read(scope, mode),
    database.read(scope, mode, { inIndexOrder: true }),
    database.read(scope, mode, { inIndexOrder: true }),
    database.write(scope, mode),
    database.read(scope, mode, { inIndexOrder: true }),
    database.execute(scope, mode),
    database.read(scope, mode, { inIndexOrder: true }),
    database.read(scope, mode),
  ];
  const [generic, auto] = ['force_generic_plan off', 'auto on'];
  expect((await Promise.all(modes)).map(([row]) => row?.mode)).toEqual([
    ...[auto, generic, generic, auto, generic, auto, generic, auto],
  ]);
  await database.close();
});

test('many stores share one connection and each read sees its own store', async () => {
  const database = createDatabase({ url: kit.url, size: 1, log: silentLog(), name: 'one connection' });
  const scopes = Array.from({ length: 50 }, () => newScope());
  await Promise.all(scopes.map((scope) => database.write(scope, (sql) => addNote(sql, scope.storeId, scope.storeId))));
  const seen = await Promise.all(
    scopes.map((scope) =>
      // An async function with two statements: neither may run before the store is set.
      database.read(scope, async (sql) => {
        const [first] = await sql`select text from notes`;
        const [second] = await sql`select text from notes`;
        return [first?.text, second?.text];
      }),
    ),
  );
  expect(seen).toEqual(scopes.map(({ storeId }) => [storeId, storeId]));
  await database.close();
});

test('instants, big integers, JSON and arrays keep their values in both directions', async () => {
  const texts = ['plain', 'with "quotes"', 'back\\slash', 'comma, brace }', '', 'NULL', null];
  const ids = [randomUUID(), randomUUID()];
  const moment = new Date('2027-01-31T09:00:00.123Z');
  const [row] = await kit.database.read(
    newScope(),
    (sql) => sql`
      select ${moment}::timestamptz as moment, array[${moment}::timestamptz] as moments, 42::bigint as small,
        9007199254740993::bigint as great, array[1::bigint, 2] as counts, ${sql.json({ a: [1, null] })}::jsonb as json,
        ${texts}::text[] as texts, ${ids}::uuid[] as ids, array[true, false] as flags, '{}'::text[] as none,
        ${ids[1] ?? ''}::uuid = any(${ids}::uuid[]) as found`,
  );
  expect(row).toEqual({
    ...{ moment, moments: [moment], small: 42, great: '9007199254740993', counts: [1, 2], json: { a: [1, null] } },
    ...{ texts, ids, flags: [true, false], none: [], found: true },
  });
});
