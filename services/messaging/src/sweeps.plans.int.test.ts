import { randomUUID } from 'node:crypto';
import { deliveryShardOf, deliveryShards } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { countReads } from '@mostrador/testing/servers/rows-read';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findUnsentPauses } from './conversations/pause-report.repository.ts';
import { findHeads } from './delivery/batch.repository.ts';
import { findDueLeads } from './delivery/shard.repository.ts';
import { findMessageStores, findWaitingMessages } from './delivery/waiting.repository.ts';
import { findUnsettled, takeOverdueShards } from './delivery/watch.repository.ts';
import { purgeFailed, purgeProcessed } from './inbound/inbound.repository.ts';
import { findChannelsToSync } from './templates/sync.repository.ts';

const waiting = 100_000;
const due = 5;
const storeId = randomUUID();

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('messaging');
  const { adminSql } = database;
  const channelId = randomUUID();
  await adminSql`insert into channels (store_id, id, provider) values (${storeId}, ${channelId}, 'sandbox')`;
  await adminSql`
    insert into conversations (store_id, lead_id)
    select ${storeId}::uuid, gen_random_uuid() from generate_series(1, ${waiting})`;
  await adminSql`
    insert into sessions (store_id, id, lead_id, started_at, last_message_at)
    select store_id, lead_id, lead_id, now(), now() from conversations`;
  // Accepted long ago: only the time of the next attempt says that they wait.
  await adminSql`
    insert into messages (store_id, lead_id, session_id, number, direction, source, body, status, created_at,
      next_attempt_at, unsettled_at)
    select store_id, lead_id, lead_id, 1, 'outbound', 'api', 'x', 'queued', now() - interval '1 hour',
      at, at
    from (select *, now() + case when row_number() over () <= ${due} then interval '-1 minute' else interval '1 hour' end as at
      from conversations) as spread`;
  await adminSql`
    insert into inbound_payloads (store_id, channel_id, payload, processed_at, failed_at, last_error)
    select ${storeId}::uuid, ${channelId}::uuid, '', now() - case
        when n <= ${due} then interval '8 days' when n <= ${2 * due} then interval '91 days' else interval '6 days' end,
      case when n > ${due} and n <= ${2 * due} then now() - interval '91 days' end,
      case when n > ${due} and n <= ${2 * due} then 'failed' end
    from generate_series(1, ${waiting}) as n`;
  // Each of another store, because a store has one live channel. Most were read a moment ago.
  await adminSql`
    insert into channels (store_id, provider, business_account_id, next_template_sync_at)
    select gen_random_uuid(), 'whatsapp_cloud', '1', now() + case when n <= ${due} then interval '-1 minute'
      else interval '1 hour' end
    from generate_series(1, ${waiting}) as n`;
  await adminSql`update channels set next_template_sync_at = now() + interval '1 hour' where id = ${channelId}`;
  await adminSql`
    update conversations set ai_pause_version = 1
    where lead_id in (select lead_id from conversations order by lead_id limit ${due})`;
  await adminSql`vacuum analyze`;
});
afterAll(() => database?.drop());

const overdue = { overdueMs: 30_000, againMs: 300_000, limit: 500 };
const dayMs = 24 * 3_600_000;

type Sweep = (sql: TransactionSql) => Promise<{ length: number } | number>;
const overQueues: Sweep = (sql) => takeOverdueShards(sql, overdue);
const sweeps: [string, string, Sweep][] = [
  ['the sweep over queues', 'messages', overQueues],
  ['the pump of a shard', 'messages', (sql) => findDueLeads(sql, deliveryShardOf(storeId), { withinMs: 0, most: 50 })],
  ['the job that tells crm of pauses of the AI', 'conversations', (sql) => findUnsentPauses(sql, 500)],
  ['the watchdog', 'messages', (sql) => findUnsettled(sql, 500)],
  ['the synchronization of templates', 'channels', (sql) => findChannelsToSync(sql, 500)],
  [
    'the purge of processed payloads',
    'inbound_payloads',
    (sql) => purgeProcessed(sql, { olderThanMs: 7 * dayMs, limit: 1_000 }),
  ],
  [
    'the purge of failed payloads',
    'inbound_payloads',
    (sql) => purgeFailed(sql, { olderThanMs: 90 * dayMs, limit: 1_000 }),
  ],
];

test.each(sweeps)('%s reads only what is due, while 100,000 rows wait', async (_, table, sweep) => {
  const { result, read } = await database.systemDatabase.write({ deadline: Date.now() + 30_000 }, (sql) =>
    countReads(sql, table, () => sweep(sql)),
  );
  const taken = typeof result === 'number' ? result : result.length;
  // The sweep over queues wakes a whole shard, once.
  expect(taken).toBe(sweep === overQueues ? 1 : due);
  // A due row is read again to change it.
  expect(read).toBeLessThan(10 * due);
});

test('a queue that grew since the last ANALYZE, when it was empty, is not read from end to end', async () => {
  const { adminSql } = database;
  const deadline = Date.now() + 30_000;
  await adminSql`
    select pg_restore_attribute_stats('schemaname', 'messaging', 'relname', 'messages', 'attname', 'status',
      'inherited', false, 'null_frac', 0::real, 'avg_width', 5, 'n_distinct', 1::real,
      'most_common_vals', '{sent}'::text, 'most_common_freqs', '{1}'::real[])`;
  await adminSql`
    select pg_restore_relation_stats('schemaname', 'messaging', 'relname', relname::text, 'relpages', 1, 'reltuples', 0::real)
    from pg_class where relname like 'messages_%' and relkind = 'i' and relnamespace = 'messaging'::regnamespace
      and pg_get_expr((select indpred from pg_index where indexrelid = pg_class.oid), 'messaging.messages'::regclass) like '%queued%'`;
  const leads = await adminSql<{ lead_id: string }[]>`
    select lead_id from conversations where store_id = ${storeId} limit ${due}`;
  const ids = leads.map(({ lead_id }) => lead_id);
  const claimed = await database.database.write({ storeId, deadline }, (sql) =>
    countReads(sql, 'messages', () => findHeads(sql, storeId, ids, [randomUUID()])),
  );
  expect(claimed.result.size).toBe(due);
  expect(claimed.read).toBe(due);
  const listed = await database.database.write({ storeId, deadline }, (sql) =>
    countReads(sql, 'messages', () => findWaitingMessages(sql, storeId, { limit: due })),
  );
  expect(listed.result).toHaveLength(due);
  // Each with the head of its queue.
  expect(listed.read).toBe(2 * due);
  const listedStores = await database.systemDatabase.write({ deadline }, (sql) =>
    countReads(sql, 'messages', () =>
      findMessageStores(sql, { after: '00000000-0000-0000-0000-000000000000', limit: 10 }),
    ),
  );
  expect(listedStores.read).toBeLessThan(10 * due);
  const shard = deliveryShardOf(storeId);
  const reads = [{ shard }, { shard, store: storeId }, { shard: (shard + 1) % deliveryShards }];
  for (const { shard, store } of reads) {
    const read = await database.systemDatabase.read(
      { deadline },
      async (sql) => {
        await sql.unsafe('begin');
        const { read } = await countReads(sql as TransactionSql, 'messages', () =>
          findDueLeads(sql, shard, { withinMs: 0, most: 50, store }),
        );
        await sql.unsafe('commit');
        return read;
      },
      { inIndexOrder: true },
    );
    expect(read).toBeLessThan(10 * due);
  }
});
