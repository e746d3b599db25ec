import type { Message } from '@mostrador/contracts';
import type { Sql, SystemDatabase, TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox, type OutboxEntry } from '@mostrador/kit/outbox/outbox';
import { idleHours } from '../settings/settings.repository.ts';
import { type SessionRow, sessionEvents } from './session.ts';

const columns = (sql: Sql) => sql`id, lead_id, status, started_at, ended_at`;

export async function listSessions(sql: Sql, storeId: string, leadId: string): Promise<SessionRow[]> {
  return await sql<SessionRow[]>`
    select ${columns(sql)} from sessions
    where store_id = ${storeId} and lead_id = ${leadId} order by started_at, id`;
}

export async function hasEndedSession(sql: Sql, storeId: string, leadId: string): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    select exists (
      select from sessions where store_id = ${storeId} and lead_id = ${leadId} and status = 'ended') as found`;
  return row.found;
}

/** A message: when it was accepted or received. */
type Touch = { readonly at: Date; readonly direction: Message['direction'] };
type Touched = { sessionId: string; opened: boolean; events: OutboxEntry[] };

/**
 * The session of a message at this time. That is the active one; if there is none, or if it has been idle for too long,
 * a new one. Returns the events of each session that it starts or ends. The caller holds the conversation's lock, and
 * writes them.
 */
export async function touchSession(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  { at, direction }: Touch,
): Promise<Touched> {
  const [active] = await sql<{ id: string }[]>`${touchActive(sql, storeId, leadId, sql`${at}::timestamptz`)}`;
  if (active) return { sessionId: active.id, opened: false, events: [] };
  return await beginSession(sql, storeId, leadId, { at, direction });
}

/** The statement that stores a message's time in the lead's session and returns its id, unless it was idle for too long. */
export const touchActive = (sql: Sql, storeId: string, leadId: string, at: ReturnType<typeof sql>) => sql`
  update sessions set last_message_at = greatest(last_message_at, ${at})
  where store_id = ${storeId} and lead_id = ${leadId} and status = 'active'
    and last_message_at + ${idleHours(sql, storeId)} * interval '1 hour' > ${at}
  returning id`;

/** As `touchSession`, for a lead whose session `touchActive` has not found. */
export async function beginSession(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  touch: Touch,
): Promise<Touched> {
  const [opened, events] = await beginSessions(sql, storeId, [leadId], touch);
  return { sessionId: opened.get(leadId) as string, opened: true, events };
}

/** Begins a session of each of these leads. Returns them by lead, and the events. The caller is as that of `touchSession`. */
export async function beginSessions(
  sql: TransactionSql,
  storeId: string,
  leadIds: readonly string[],
  { at, direction }: Touch,
): Promise<[ReadonlyMap<string, string>, OutboxEntry[]]> {
  // The periodic job may be late: an idle session ends before the next one begins.
  const ended = await sql<SessionRow[]>`
    update sessions set ${end(sql, storeId)}
    where store_id = ${storeId} and lead_id = any(${[...leadIds]}::uuid[]) and status = 'active'
    returning ${columns(sql)}`;
  const opened = await sql<SessionRow[]>`
    insert into sessions (store_id, lead_id, started_at, last_message_at, opened_by_lead)
    select ${storeId}::uuid, lead_id, ${at}, ${at}, ${direction === 'inbound'}
    from unnest(${[...leadIds]}::uuid[]) as lead_id
    returning ${columns(sql)}`;
  const events = [
    ...ended.flatMap((row) => sessionEvents('ended', row)),
    ...opened.flatMap((row) => sessionEvents('started', row)),
  ];
  return [new Map(opened.map(({ id, lead_id }) => [lead_id, id])), events];
}

/**
 * The statement that records a message as the first response at this moment, if it answers, the lead opened the session and
 * has no response yet.
 */
export const recordResponse = (
  sql: Sql,
  storeId: string,
  message: { readonly id: string; readonly session_id: string },
  at: ReturnType<typeof sql>,
) => sql`
  update sessions set first_response_at = greatest(${at}, started_at)
  where store_id = ${storeId} and id = ${message.session_id} and opened_by_lead and first_response_at is null
    and (select answers from messages where store_id = ${storeId} and id = ${message.id})`;

/** Ends a session now and writes its event. An ended one stays as it is. Undefined: the lead has no such session. */
export async function closeSession(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  sessionId: string,
): Promise<SessionRow | undefined> {
  const [closed] = await sql<SessionRow[]>`
    update sessions
    set status = 'ended', ended_at = greatest(clock_timestamp(), last_message_at), end_recorded_at = clock_timestamp()
    where store_id = ${storeId} and lead_id = ${leadId} and id = ${sessionId} and status = 'active'
    returning ${columns(sql)}`;
  if (closed) {
    await appendOutbox(sql, storeId, sessionEvents('ended', closed));
    return closed;
  }
  const [row] = await sql<SessionRow[]>`
    select ${columns(sql)} from sessions
    where store_id = ${storeId} and lead_id = ${leadId} and id = ${sessionId}`;
  return row;
}

/** Records that a request closed a session that has ended: then its messages, and those before, wait for no answer. */
export async function recordClose(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  sessionId: string,
): Promise<void> {
  await sql`
    update sessions set closed_at = clock_timestamp()
    where store_id = ${storeId} and lead_id = ${leadId} and id = ${sessionId} and closed_at is null`;
}

/** Active sessions of any store that are idle for longer than their store allows, the longest idle first. */
export async function findIdleSessions(
  database: SystemDatabase,
  scope: { deadline: number },
  limit: number,
): Promise<{ store_id: string; id: string }[]> {
  // The shortest idle time of all stores bounds the index scan.
  return await database.read(
    scope,
    (sql) => sql<{ store_id: string; id: string }[]>`
      select s.store_id, s.id from sessions s left join store_settings using (store_id)
      where s.status = 'active'
        and s.last_message_at <= now()
          - least(24, (select min(session_idle_hours) from store_settings)) * interval '1 hour'
        and s.last_message_at <= now() - coalesce(session_idle_hours, 24) * interval '1 hour'
      order by s.last_message_at limit ${limit}`,
  );
}

/** Ends those that are still idle, as of the moment their time ran out. Writes their events. Returns the number. */
export async function endIdleSessions(
  sql: TransactionSql,
  storeId: string,
  sessionIds: readonly string[],
): Promise<number> {
  const ended = await sql<SessionRow[]>`
    update sessions set ${end(sql, storeId)}
    where store_id = ${storeId} and id = any(${[...sessionIds]}::uuid[]) and status = 'active'
      and last_message_at + ${idleHours(sql, storeId)} * interval '1 hour' <= now()
    returning ${columns(sql)}`;
  await appendOutbox(
    sql,
    storeId,
    ended.flatMap((row) => sessionEvents('ended', row)),
  );
  return ended.length;
}

const end = (sql: Sql, storeId: string) => sql`
  status = 'ended', ended_at = last_message_at + ${idleHours(sql, storeId)} * interval '1 hour',
  end_recorded_at = clock_timestamp()`;
