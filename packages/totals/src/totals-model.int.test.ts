import { randomUUID } from 'node:crypto';
import type { Sql, StoreScope, TransactionSql } from '@mostrador/kit/database/database';
import { silentLog } from '@mostrador/testing/context';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { type CountedRows, holdTotals } from '@mostrador/testing/servers/list-totals';
import { openSnapshots, type Snapshots } from '@mostrador/testing/servers/snapshots';
import { createThingsDatabase, thingStatuses } from '@mostrador/testing/servers/things-database';
import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { foldChanges } from './totals.repository.ts';
import { createListTotals } from './totals.ts';

let kit: TestDatabase;
let snapshots: Snapshots;
beforeAll(async () => {
  kit = await createThingsDatabase();
  snapshots = openSnapshots(kit);
});
afterAll(async () => {
  await snapshots?.close();
  await kit?.drop();
});

const scopeOf = (storeId: string): StoreScope => ({ storeId, deadline: Date.now() + 30_000 });
const write = <T>(storeId: string, work: (sql: TransactionSql) => PromiseLike<T>) =>
  kit.database.write(scopeOf(storeId), work);
const addOwner = async (storeId: string) => {
  const id = randomUUID();
  await write(storeId, (sql) => sql`insert into owners (store_id, id) values (${storeId}, ${id})`);
  return id;
};

type Action =
  | { readonly kind: 'add'; readonly status: number; readonly owner: number; readonly count: number }
  | { readonly kind: 'move'; readonly from: number; readonly status: number; readonly owner: number }
  | { readonly kind: 'remove'; readonly status: number }
  | { readonly kind: 'undone'; readonly status: number }
  | { readonly kind: 'fold'; readonly limit: number }
  | { readonly kind: 'remove owner' | 'rebuild' | 'read' };

const status = fc.nat({ max: thingStatuses.length - 1 });
const ownerIndex = fc.nat({ max: 2 });
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      status,
      owner: ownerIndex,
      count: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('move' as const), from: status, status, owner: ownerIndex }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('remove' as const, 'undone' as const), status }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('fold' as const), limit: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('remove owner' as const, 'rebuild' as const, 'read' as const) }),
  },
);

const statusOf = (n: number): string => thingStatuses[n] ?? '';
const undone = new Error('undone');

test('at every moment of any concurrent changes, folds, first reads and rebuilds, each total is a recount', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 40 }), async (actions) => {
      const storeId = randomUUID();
      const owners = [await addOwner(storeId), await addOwner(storeId)];
      const ownerOf = (n: number) => owners[n] ?? null;
      const totals = createListTotals({
        lists: ['things'],
        database: kit.database,
        systemDatabase: kit.systemDatabase,
        log: silentLog(),
      });
      const cases = (sql: Sql): CountedRows<'things'>[] =>
        [undefined, ['new'], ['open', 'done']].flatMap((some) =>
          [undefined, [ownerOf(0)], [null], [ownerOf(1), null]].map((of) => ({
            rows: { list: 'things' as const, ...(some && { statuses: some }), ...(of && { owners: of }) },
            recount: sql`
              select count(*) from things where store_id = ${storeId}
                ${some ? sql`and status = any(${some}::text[])` : sql``}
                ${
                  of
                    ? sql`and (owner = any(${of.filter((one) => one !== null)}::uuid[])
                  ${of.includes(null) ? sql`or owner is null` : sql``})`
                    : sql``
                }`,
          })),
        );
      const run = async (one: Action): Promise<unknown> => {
        switch (one.kind) {
          case 'add':
            return await write(
              storeId,
              (sql) => sql`
                insert into things (store_id, status, owner)
                select ${storeId}, ${statusOf(one.status)},
                  (select id from owners where store_id = ${storeId} and id = ${ownerOf(one.owner)} for share)
                from generate_series(1, ${one.count}::int)`,
            );
          case 'move':
            return await write(
              storeId,
              (sql) => sql`
                update things
                set status = ${statusOf(one.status)},
                  owner = (select id from owners where store_id = ${storeId} and id = ${ownerOf(one.owner)} for share)
                where store_id = ${storeId} and id in (
                  select id from things where store_id = ${storeId} and status = ${statusOf(one.from)}
                  order by id limit 3 for no key update)`,
            );
          case 'remove':
            return await write(
              storeId,
              (sql) => sql`
                delete from things where store_id = ${storeId} and id in (
                  select id from things where store_id = ${storeId} and status = ${statusOf(one.status)}
                  order by id limit 2 for update)`,
            );
          case 'undone':
            return await write(storeId, async (sql) => {
              await sql`insert into things (store_id, status) values (${storeId}, ${statusOf(one.status)})`;
              throw undone;
            }).catch((error) => {
              if (error !== undone) throw error;
            });
          case 'fold':
            return await kit.systemDatabase.write(scopeOf(storeId), (sql) => foldChanges(sql, one.limit));
          case 'remove owner':
            return await write(
              storeId,
              (sql) => sql`delete from owners where store_id = ${storeId} and id = ${owners[0] ?? null}`,
            );
          case 'rebuild':
            return await totals.rebuild(scopeOf(storeId));
          case 'read':
            return await totals.run(new AbortController().signal);
        }
      };
      await holdTotals(
        { snapshots, listTotals: totals, scope: () => scopeOf(storeId), cases },
        actions.map((one) => () => run(one)),
      );
    }),
    { numRuns: 10 },
  );
});
