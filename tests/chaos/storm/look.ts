import { entityWorkflows } from '@mostrador/contracts/workflows';
import { readEvents } from '@mostrador/testing/providers/caldav/read-events';
import { Client, Connection } from '@temporalio/client';
import postgres from 'postgres';
import type { Conversation, Said } from '../exact/answers.ts';
import type { ChaosStore } from './journal.ts';
import { ownUid } from './other-program.ts';
import type { Platform } from './platform.ts';
import { readStream } from './read-stream.ts';
import type { BookedStore, FollowupRow, MessageRow, Row, Seen } from './seen.ts';

export type Open = { readonly sql: postgres.Sql; readonly temporal: Client };

/** Collects everything that a run left behind. Stops the platform's processes. */
export async function look(platform: Platform, stores: readonly ChaosStore[], { sql, temporal }: Open): Promise<Seen> {
  const seen: Seen = {
    ...(await lookAtDatabase(sql)),
    workflows: await lookAtWorkflows(temporal),
    taken: stores.flatMap(({ id, phone }) =>
      phone.taken().map(({ to, text, atMs }) => ({ storeId: id, to, text, atMs })),
    ),
    calendars: [],
    published: [],
    webhooks: platform.receiver.receipts.map(({ path, ...receipt }) => ({ storeId: path.slice(1), ...receipt })),
    endings: platform.processes.endings(),
    forged: platform.receiver.faults.map(({ path, fault }) => `${path}: ${fault}`),
  };
  for (const { id, feedUrl, calendar, booked } of stores) {
    if (booked) {
      const found = await readEvents({ ...platform.radicale, collectionUrl: booked.calendarUrl });
      const ofAppointments = found.filter(({ uid }) => !uid.startsWith(ownUid));
      seen.booked
        .find(({ storeId }) => storeId === id)
        ?.events.push(
          ...ofAppointments.map(({ uid, start, duration_minutes: minutes }) => ({
            id: uid.replace(/@.*$/, ''),
            start: Date.parse(start),
            minutes,
          })),
        );
      continue;
    }
    const events = feedUrl ? await readFeed(feedUrl) : await readEvents(platform.radicale);
    const plain = events.map(({ uid, title }) => ({ id: uid.replace(/@.*$/, ''), title }));
    seen.calendars.push({ storeId: id, kind: calendar, events: plain });
  }
  seen.published = await readStream(platform);
  return seen;
}

type OfDatabase = Omit<Seen, 'workflows' | 'taken' | 'calendars' | 'published' | 'webhooks' | 'forged' | 'endings'>;

/** Reads the database as administrator, because row-level security hides rows from the services' roles. */
export async function lookAtDatabase(sql: postgres.Sql): Promise<OfDatabase> {
  const appointments = await sql`select * from scheduling.appointments where notes like 'chaos %'`;
  const bookings = await sql`select * from scheduling.appointments where notes like 'booking %'`;
  const leads = await sql`select * from crm.leads where name like 'Ana %'`;
  const messages = await sql<MessageRow[]>`
    select id, store_id, lead_id, number::int, direction, body, status, provider_message_id, created_at, source
    from messaging.messages where body like 'chaos %' order by store_id, lead_id, number`;
  const followups = await sql`select *, message as mark from scheduling.followups where message like 'chaos %'`;
  const rowOf = (kind: Row['kind'], mark: string, names: readonly string[]) => (row: postgres.Row) =>
    ({
      kind,
      id: row.id,
      store_id: row.store_id,
      lead_id: row.lead_id ?? null,
      mark: row[mark],
      status: row.status,
      created_at: row.created_at,
      content: Object.fromEntries(
        names.map((name) => [name, row[name] instanceof Date ? row[name].toISOString() : row[name]]),
      ),
    }) satisfies Row;
  return {
    rows: [
      ...appointments.map(
        rowOf('appointment', 'notes', ['title', 'status', 'scheduled_at', 'duration_minutes', 'lead_id']),
      ),
      ...bookings.map(rowOf('booking', 'notes', ['title'])),
      ...leads.map(rowOf('lead', 'customer_phone', ['name', 'status'])),
      ...messages.filter((row) => (row as postgres.Row).source === 'api').map(rowOf('message', 'body', [])),
      ...followups.map(rowOf('followup', 'mark', ['lead_id'])),
    ],
    booked: await readBooked(sql),
    conversations: await readConversations(sql),
    messages: [...messages],
    followups: [...(followups as unknown as FollowupRow[])],
    syncs: [
      ...(await sql<Seen['syncs']>`
        select a.id as appointment_id, s.state, s.attempts, s.last_error_code
        from scheduling.appointments a
        left join scheduling.calendar_syncs s on s.store_id = a.store_id and s.appointment_id = a.id`),
    ],
    interactions: [
      ...(await sql<Seen['interactions']>`
        select c.lead_id, c.interaction_count as counted, l.interaction_count as told
        from messaging.conversations c join crm.leads l on l.store_id = c.store_id and l.id = c.lead_id
        -- When the AI calls a person, its text is none of the storm.
        where not exists (select from messaging.messages m
          where m.store_id = c.store_id and m.lead_id = c.lead_id and m.source = 'ai' and m.body not like 'chaos %')`),
    ],
    people: [
      ...(await sql<Seen['people']>`
        select id, store_id as "storeId", customer_phone as phone, channel_user_id as "userId",
          previous_lead_id as "previousId"
        from crm.leads`),
    ],
    merges: [
      ...(await sql<Seen['merges']>`
        select id, store_id as "storeId", merged_into as "keptId", lead->>'customer_phone' as phone,
          lead->>'channel_user_id' as "userId"
        from crm.merged_leads`),
    ],
    waiting: [
      ...(await sql<Seen['waiting']>`
        select 'the outbox of scheduling' as where, count(*)::int as count from scheduling.outbox
        union all select 'the outbox of crm', count(*)::int from crm.outbox
        union all select 'the outbox of messaging', count(*)::int from messaging.outbox
        union all select 'the feed entries of scheduling', count(*)::int from scheduling.feed_entries
        union all select 'the feed entries of crm', count(*)::int from crm.feed_entries
        union all select 'the feed entries of messaging', count(*)::int from messaging.feed_entries
        union all select 'the webhooks', count(*)::int from events.webhook_deliveries where status = 'pending'
        union all select 'the outbox of events', count(*)::int from events.outbox
        union all select 'the inbox of messaging', count(*)::int from messaging.inbound_payloads where processed_at is null`),
    ],
    feed: await readEventFeed(sql),
    endpoints: [...(await sql<Seen['endpoints']>`select id, store_id as "storeId" from events.webhook_endpoints`)],
    strays: await findStrays(sql),
    corruption: await findCorruption(sql),
  };
}

async function readBooked(sql: postgres.Sql): Promise<BookedStore[]> {
  const stores = await sql<{ storeId: string; capacity: number }[]>`
    select store_id as "storeId", capacity from scheduling.booking_rules where overlap = 'reject'`;
  const rows = await sql<(BookedStore['appointments'][number] & { storeId: string })[]>`
    select a.store_id as "storeId", a.id, a.notes as mark, a.status, a.seller_id as "sellerId",
      (extract(epoch from a.scheduled_at) * 1000)::float8 as start, a.duration_minutes as minutes,
      (extract(epoch from b.scheduled_at) * 1000)::float8 as "placeFrom"
    from scheduling.appointments a
    left join scheduling.bookings b on b.store_id = a.store_id and b.id = a.id and b.expires_at is null`;
  return stores.map((store) => ({
    ...store,
    appointments: rows.flatMap(({ storeId, ...row }) => (storeId === store.storeId ? [row] : [])),
    events: [],
  }));
}

/** Those of leads who have written since their store's AI is on. */
async function readConversations(sql: postgres.Sql): Promise<Conversation[]> {
  const said = await sql<(Said & { readonly lead_id: string })[]>`
    select m.lead_id, m.number::int as number, m.source, m.body, m.status
    from messaging.messages m join assistant.store_settings s on s.store_id = m.store_id and s.ai
    where m.body not like 'hello %' order by m.lead_id, m.number`;
  const turns = await sql<(Conversation['turns'][number] & { readonly lead_id: string })[]>`
    select lead_id, state, reason from assistant.ai_turns order by created_at, id`;
  const turnsOf = Map.groupBy(turns, ({ lead_id }) => lead_id);
  return [...Map.groupBy(said, ({ lead_id }) => lead_id)].map(([leadId, ofLead]) => ({
    leadId,
    said: ofLead,
    turns: turnsOf.get(leadId) ?? [],
  }));
}

const readEventFeed = async (sql: postgres.Sql): Promise<Seen['feed']> => [
  ...(await sql<Seen['feed']>`
    select id, store_id as "storeId", sequence::float8, type, entity_type as "entityType", entity_id as "entityId",
      entity_version::float8 as version
    from events.events order by store_id, sequence`),
];

/** Rows whose lead or channel is not in their store, and leads whose store does not exist. */
async function findStrays(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ what: string; id: string }[]>`
    select 'appointment' as what, a.id from scheduling.appointments a
      where a.lead_id is not null and not exists (select from crm.leads l where l.store_id = a.store_id and l.id = a.lead_id)
    union all select 'follow-up', f.id from scheduling.followups f
      where not exists (select from crm.leads l where l.store_id = f.store_id and l.id = f.lead_id)
    union all select 'message', m.id from messaging.messages m
      where not exists (select from crm.leads l where l.store_id = m.store_id and l.id = m.lead_id)
    union all select 'message (channel)', m.id from messaging.messages m join messaging.channels c on c.id = m.channel_id
      where c.store_id <> m.store_id
    union all select 'lead', l.id from crm.leads l
      where not exists (select from accounts.stores s where s.id = l.store_id)`;
  return rows.map(({ what, id }) => `the ${what} ${id} names a row that its store does not have`);
}

/** Runs PostgreSQL's `amcheck` over every B-tree index, with its table's rows, and over every table. */
async function findCorruption(sql: postgres.Sql): Promise<string[]> {
  await sql`create extension if not exists amcheck schema public`;
  const found: string[] = [];
  const ofOurs = sql`n.nspname in ('accounts', 'gateway', 'crm', 'scheduling', 'messaging', 'events', 'assistant')`;
  const indexes = await sql<{ oid: number; name: string }[]>`
    select c.oid, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_am a on a.oid = c.relam join pg_index i on i.indexrelid = c.oid
    where a.amname = 'btree' and c.relkind = 'i' and i.indisvalid and ${ofOurs}`;
  for (const { oid, name } of indexes) {
    await sql`select public.bt_index_check(${oid}::oid::regclass, true)`.catch((error: Error) =>
      found.push(`the index ${name}: ${error.message}`),
    );
  }
  const tables = await sql<{ oid: number; name: string }[]>`
    select c.oid, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and ${ofOurs}`;
  for (const { oid, name } of tables) {
    const faults = await sql`select msg from public.verify_heapam(${oid}::oid::regclass)`;
    for (const { msg } of faults.slice(0, 3)) found.push(`the table ${name}: ${msg}`);
  }
  return found;
}

/**
 * Temporal visibility query for entity workflows. It excludes the scheduled workflows that close reports, and the watches of
 * calendars, which run as long as a calendar is connected.
 */
export const carryingRows = `WorkflowType IN (${Object.keys(entityWorkflows)
  .filter((name) => name !== entityWorkflows.calendarWatch.name)
  .map((name) => `'${name}'`)
  .join(', ')})`;

async function lookAtWorkflows(temporal: Client): Promise<Seen['workflows']> {
  const found: Seen['workflows'] = [];
  for await (const { workflowId, status, searchAttributes } of temporal.workflow.list({
    query: carryingRows,
    pageSize: 1000,
  })) {
    const [storeId] = (searchAttributes.StoreId ?? []) as string[];
    found.push({ id: workflowId, status: status.name, storeId: storeId ?? '' });
  }
  return found;
}

async function readFeed(url: string): Promise<{ uid: string; title: string }[]> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`a feed answered ${response.status}`);
  const text = (await response.text()).replaceAll(/\r\n[ \t]/g, '');
  return text
    .split('BEGIN:VEVENT')
    .slice(1)
    .map((event) => ({
      uid: /\r\nUID:(.*)\r\n/.exec(event)?.[1] ?? '',
      title: /\r\nSUMMARY:(.*)\r\n/.exec(event)?.[1] ?? '',
    }));
}

export async function withServers<T>(
  platform: Pick<Platform, 'servers'>,
  work: (open: Open) => Promise<T>,
): Promise<T> {
  const { databaseUrl, temporalAddress } = platform.servers;
  const sql = postgres(databaseUrl, { max: 2, onnotice: () => {} });
  const connection = await Connection.connect({ address: temporalAddress });
  try {
    return await work({ sql, temporal: new Client({ connection }) });
  } finally {
    await Promise.all([sql.end({ timeout: 2 }), connection.close()]);
  }
}
