import { randomUUID } from 'node:crypto';
import { eventsOperations } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import { testContext } from '@mostrador/testing/context';
import { type CountedRows, holdTotals } from '@mostrador/testing/servers/list-totals';
import { openSnapshots, type Snapshots } from '@mostrador/testing/servers/snapshots';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEvents, type TestEvents } from '../test/events.ts';
import type { eventsLists } from './dependencies.ts';
import { cancelBefore, insertTest, reopenDelivery } from './webhooks/deliveries/delivery.repository.ts';
import { lockEndpoint } from './webhooks/endpoints/endpoint.repository.ts';
import { purgeWebhooks } from './webhooks/purge-webhooks.ts';
import { openDeliveries } from './webhooks/sending/plan.repository.ts';

const { createWebhookEndpoint, deleteWebhookEndpoint, listWebhookDeliveries, listWebhookEndpoints } = eventsOperations;

let events: TestEvents;
let snapshots: Snapshots;
beforeAll(async () => {
  events = await startEvents();
  snapshots = openSnapshots(events);
});
afterAll(async () => {
  await snapshots?.close();
  await events?.stop();
});

const statuses = ['pending', 'succeeded', 'failed', 'cancelled'] as const;

const casesOf =
  (storeId: string, endpoints: readonly string[]) =>
  (sql: Sql): CountedRows<(typeof eventsLists)[number]>[] => [
    {
      rows: { list: 'webhook_endpoints' },
      recount: sql`select count(*) from webhook_endpoints where store_id = ${storeId} and deleted_at is null`,
    },
    ...endpoints.flatMap((id) =>
      [undefined, ...statuses].map((status) => ({
        rows: { list: 'webhook_deliveries' as const, owners: [id], ...(status ? { statuses: [status] } : {}) },
        recount: sql`
          select count(*) from webhook_deliveries
          where store_id = ${storeId} and endpoint_id = ${id} ${status ? sql`and status = ${status}` : sql``}`,
      })),
    ),
  ];

const kinds = [
  'create',
  'delete',
  'open',
  'test',
  'end',
  'reopen',
  'cancel',
  'purge',
  'list',
  'run',
  'rebuild',
] as const;
type Action = { readonly kind: (typeof kinds)[number]; readonly endpoint: number; readonly n: number };
const action: fc.Arbitrary<Action> = fc.record({
  kind: fc.constantFrom(...kinds, ...(['open', 'open', 'end', 'end', 'end', 'run'] as const)),
  endpoint: fc.nat({ max: 3 }),
  n: fc.nat({ max: 9 }),
});

test('at every moment of any concurrent changes, folds, first reads and rebuilds, each total is a recount', async () => {
  const { rpc, database, systemDatabase, dependencies, adminSql } = events;
  const { listTotals } = dependencies;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 40 }), async (actions) => {
      const storeId = randomUUID();
      const context = () => testContext({ storeId });
      const endpoints: string[] = [];
      const create = async () => {
        const body = { url: 'https://93.184.215.14/hooks' };
        endpoints.push((await rpc.call(createWebhookEndpoint, { body }, context())).id);
      };
      await create();
      const endpointOf = (n: number) => endpoints[n % endpoints.length] as string;
      const run = async ({ kind, endpoint, n }: Action): Promise<unknown> => {
        const id = endpointOf(endpoint);
        const named = { store_id: storeId, id };
        const locked = <T>(work: (sql: Parameters<typeof insertTest>[0]) => Promise<T>) =>
          database.write(context(), async (sql) => {
            if (await lockEndpoint(sql, storeId, id)) await work(sql);
          });
        const oneOf = async (...some: readonly string[]) =>
          (
            await adminSql`
              select id from webhook_deliveries
              where store_id = ${storeId} and endpoint_id = ${id} and status = any(${[...some]})
              order by id offset ${n} limit 1`
          )[0]?.id as string | undefined;
        switch (kind) {
          case 'create':
            return await create();
          case 'delete':
            return await rpc.call(deleteWebhookEndpoint, { params: { endpointId: id } }, context());
          case 'open': {
            // Some events have a delivery already. A final one opens again.
            const planned = Array.from({ length: 5 }, (_, index) => ({
              ...{ sequence: n + index + 1, id: randomUUID(), type: 'lead.updated', entity_id: randomUUID() },
              created_at: new Date(),
            }));
            return await locked((sql) => openDeliveries(sql, named, planned));
          }
          case 'test':
            return await locked((sql) => insertTest(sql, storeId, id, 'webhook.test'));
          case 'end': {
            const delivery = await oneOf('pending');
            const status = n % 2 === 0 ? 'succeeded' : 'failed';
            // Some ended so long ago that the purge deletes them.
            return await locked(
              async (sql) => sql`
                update webhook_deliveries
                set status = ${status}, next_attempt_at = null, completed_at = now() - ${n} * interval '10 days'
                where store_id = ${storeId} and id = ${delivery ?? null} and status = 'pending'`,
            );
          }
          case 'reopen': {
            const delivery = await oneOf('succeeded', 'failed', 'cancelled');
            return delivery && (await locked((sql) => reopenDelivery(sql, storeId, delivery)));
          }
          case 'cancel':
            return await locked((sql) => cancelBefore(sql, named, n));
          case 'purge':
            return await purgeWebhooks(systemDatabase);
          case 'list':
            await rpc.call(listWebhookDeliveries, { params: { endpointId: id }, query: {} }, context());
            return await rpc.call(listWebhookEndpoints, { query: {} }, context());
          case 'run':
            return await listTotals.run(new AbortController().signal);
          case 'rebuild':
            return await listTotals.rebuild(context());
        }
      };
      await holdTotals(
        { snapshots, listTotals, scope: context, cases: casesOf(storeId, endpoints) },
        actions.map((one) => () => run(one)),
      );
    }),
    { numRuns: 8 },
  );
});

test('the lists of webhook endpoints and of their deliveries read totals', async () => {
  const storeId = randomUUID();
  const context = () => testContext({ storeId });
  const body = { url: 'https://93.184.215.14/hooks' };
  const [first, second] = [
    await events.rpc.call(createWebhookEndpoint, { body }, context()),
    await events.rpc.call(createWebhookEndpoint, { body }, context()),
  ];
  await events.database.write(context(), (sql) => insertTest(sql, storeId, first.id, 'webhook.test'));
  await events.dependencies.listTotals.rebuild(context());
  await events.adminSql`update list_totals set rows = rows + 10 where store_id = ${storeId}`;
  expect((await events.rpc.call(listWebhookEndpoints, { query: {} }, context())).total).toBe(12);
  const total = async (endpointId: string, query: { status?: 'pending' | 'failed' } = {}) =>
    (await events.rpc.call(listWebhookDeliveries, { params: { endpointId }, query }, context())).total;
  expect([await total(first.id), await total(first.id, { status: 'pending' })]).toEqual([11, 11]);
  expect([await total(first.id, { status: 'failed' }), await total(second.id)]).toEqual([0, 0]);
});
