import { randomUUID } from 'node:crypto';
import type { Sql } from '@mostrador/kit/database/database';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { blocksOf, explain, type Plan } from '@mostrador/testing/servers/plan';
import { countReads } from '@mostrador/testing/servers/rows-read';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listEndpoints, lockEndpoint } from './endpoints/endpoint.repository.ts';
import type { EndpointRow } from './endpoints/endpoint.ts';
import {
  findDueEndpoints,
  findNextUnplanned,
  findReplaying,
  findUnplanned,
  type NamedEndpoint,
  nextUnplanned,
} from './endpoints/watch.repository.ts';
import { mostWaiting } from './replays/replay.ts';
import { claim } from './sending/attempt.repository.ts';
import { saveDue } from './sending/save-due.ts';

const stores = 2_000;
const perStore = 5;
const due = 5;
const final = 100_000;
const failed = 20_000;
const untried = 1_000;
const claimed = 20;
const behind = 30_000;
const storeId = randomUUID();
/** It has a log of deliveries and a backlog. */
const busyId = randomUUID();
/** It is paused, and its feed has grown by `behind` events. */
const pausedId = randomUUID();

const deadline = () => Date.now() + 30_000;
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase('events');
  const { adminSql } = database;
  await adminSql`select make_event_partition(current_date)`;
  await adminSql`
    insert into webhook_endpoints (store_id, url, ordering, payload, max_in_flight, sealed_secrets, planned_through, due_at)
    select store, 'https://example.com/', 'entity', 'object', 5, 'v1.k.x', 10,
      now() + case when n <= ${due} then interval '-1 minute' else interval '1 hour' end
    from (select n, gen_random_uuid() as store from generate_series(1, ${stores}::int) as n),
      generate_series(1, ${perStore}::int)`;
  await adminSql`
    update webhook_endpoints set due_at = now() + interval '1 hour'
    where due_at <= now() and id not in (select id from webhook_endpoints where due_at <= now() limit ${due})`;
  await adminSql`
    insert into feeds (store_id, last_sequence, last_appended_at)
    select distinct store_id, 10, now() from webhook_endpoints`;
  await adminSql`
    insert into webhook_endpoints (store_id, id, url, ordering, payload, max_in_flight, sealed_secrets, planned_through, status)
    select ${storeId}::uuid, id, 'https://example.com/', 'entity', 'object', 20, 'v1.k.x', planned, status
    from (values (${busyId}::uuid, ${behind}::bigint - 1, 'enabled'), (${pausedId}::uuid, 0, 'paused'))
      as endpoint (id, planned, status)`;
  await adminSql`insert into feeds (store_id, last_sequence, last_appended_at) values (${storeId}, ${behind}, now())`;
  await adminSql`
    insert into events (store_id, sequence, id, type, entity_type, entity_id, entity_version, data, created_at, appended_at)
    select ${storeId}::uuid, n, gen_random_uuid(), 'lead.updated', 'lead', gen_random_uuid(), n, '{}', now(), now()
    from generate_series(1, ${behind}::int) as n`;
  // The oldest are final, some failed and wait, and the newest wait for their first attempt.
  await adminSql`
    insert into webhook_deliveries (store_id, endpoint_id, event_id, event_type, sequence, entity_id, occurred_at,
      status, next_attempt_at, first_failed_at, completed_at)
    select ${storeId}::uuid, ${busyId}::uuid, gen_random_uuid(), 'lead.updated', n, gen_random_uuid(), now(),
      case when n <= ${final} then 'succeeded' else 'pending' end,
      case when n > ${final + failed} then now() when n > ${final} then now() + interval '1 hour' end,
      case when n > ${final} and n <= ${final + failed} then now() end,
      case when n <= ${final} then now() end
    from generate_series(1, ${final + failed + untried}::int) as n`;
  // A replay whose deliveries wait.
  await adminSql`
    with replay as (
      insert into webhook_replays (store_id, endpoint_id, selection, from_sequence, to_sequence, looked_through)
      values (${storeId}, ${busyId}, 'all', 1, ${behind}, 1_000) returning id)
    update webhook_deliveries set replay_id = replay.id from replay
    where store_id = ${storeId} and sequence > ${final} and status = 'pending'`;
  await adminSql`vacuum analyze`;
});
afterAll(() => database?.drop());

const systemPlanOf = (query: (sql: Sql) => object): Promise<Plan> =>
  database.systemDatabase.read({ deadline: deadline() }, (sql) => explain(sql, query(sql)));
const scansOf = (plan: Plan, table: string) => plan.filter((node) => node['Relation Name'] === table);

test('the look for due endpoints reads only those that are due, while 10,000 wait', async () => {
  const plan = await systemPlanOf((sql) =>
    findDueEndpoints(sql, { stores: [randomUUID()], endpoints: [randomUUID()] }, 200),
  );
  expect(plan[0]['Actual Rows']).toBe(due);
  expect(scansOf(plan, 'webhook_endpoints').map((node) => node['Node Type'])).not.toContain('Seq Scan');
  expect(blocksOf(plan[0])).toBeLessThan(10 * due);
});

test('the look for endpoints whose feed has grown reads only those of the stores that are named', async () => {
  const plan = await systemPlanOf((sql) => findUnplanned(sql, [storeId]));
  expect(plan[0]['Actual Rows']).toBe(1);
  expect(scansOf(plan, 'webhook_endpoints').map((node) => node['Node Type'])).not.toContain('Seq Scan');
  expect(blocksOf(plan[0])).toBeLessThan(100);
});

test('a look of all stores goes past a part of the enabled endpoints, and finds those that can be planned', async () => {
  const limit = 1_000;
  const plan = await systemPlanOf((sql) => nextUnplanned(sql, { after: undefined, limit }));
  const read = new Set(plan.flatMap((node) => node['Relation Name'] ?? []));
  expect([...read].sort()).toEqual(['feeds', 'webhook_endpoints']);
  expect(scansOf(plan, 'webhook_endpoints').map((node) => node['Node Type'])).not.toContain('Seq Scan');
  const [tables] = await database.adminSql<[{ blocks: number }]>`
    select pg_relation_size('feeds'::regclass)::int / 8192 as blocks`;
  expect(blocksOf(plan[0])).toBeLessThan(2 * limit + tables.blocks + 100);

  const found: string[] = [];
  let passed = 0;
  for (let after: NamedEndpoint | undefined, looks = 0; looks === 0 || after; looks++) {
    const next = await database.systemDatabase.read({ deadline: deadline() }, (sql) =>
      findNextUnplanned(sql, { after, limit }),
    );
    found.push(...next.unplanned.map(({ id }) => id));
    passed += 1;
    after = next.last;
  }
  expect(found).toEqual([busyId]);
  expect(passed).toBe(Math.ceil((stores * perStore + 1) / limit));
});

test('the look for replays reads running ones, and not more deliveries of each than may wait', async () => {
  const plan = await systemPlanOf((sql) => findReplaying(sql, null));
  expect(plan[0]['Actual Rows']).toBe(0);
  expect(blocksOf(plan[0])).toBeLessThan(mostWaiting + 100);
});

test('a claim reads what it claims, and not what waits or is final', async () => {
  const read = await database.database.write({ storeId, deadline: deadline() }, async (sql) => {
    const endpoint = (await lockEndpoint(sql, storeId, busyId)) as EndpointRow;
    const ofClaim = await countReads(sql, 'webhook_deliveries', () => claim(sql, endpoint, 1_000, claimed));
    expect(ofClaim.result).toHaveLength(claimed);
    const ofSave = await countReads(sql, 'webhook_deliveries', () => saveDue(sql, { store_id: storeId, id: busyId }));
    return [ofClaim.read, ofSave.read];
  });
  // Each is looked at, compared with the open ones of its entity, and read again to change it.
  expect(read[0]).toBeLessThanOrEqual(6 * claimed);
  expect(read[1]).toBeLessThanOrEqual(6 * claimed);
});

test('a list of endpoints looks through at most 10,000 events of a feed that waits', async () => {
  const plan = await database.database.read({ storeId, deadline: deadline() }, (sql) =>
    explain(sql, listEndpoints(sql, storeId, { start: { offset: 0 }, limit: 50 })),
  );
  expect(plan[0]['Actual Rows']).toBe(2);
  const looked = plan.filter((node) => node['Relation Name']?.startsWith('events'));
  expect(looked.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  for (const node of looked) expect(node['Actual Rows'] * node['Actual Loops']).toBeLessThanOrEqual(10_010);
});
