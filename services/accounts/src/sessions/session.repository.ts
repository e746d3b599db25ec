import type { Tier, UserRole } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { isReachable } from './reach.repository.ts';
import { type OpenedBy, type Reach, type Reaching, reachAfter } from './reach.ts';

/** A login link with what decides whether it opens a session. */
export type LoginLinkRow = {
  readonly store_id: string;
  readonly store_name: string;
  readonly user_id: string;
  readonly user_name: string;
  readonly email: string;
  readonly token_hash: Uint8Array;
  readonly reach: Reach;
  readonly expires_at: Date;
  readonly used_at: Date | null;
  readonly disabled_at: Date | null;
  /** The clock of the database. */
  readonly now: Date;
};

/** A session with its person, role and store. */
export type SessionRow = Reaching & {
  readonly id: string;
  /** The person's id in the store of the session, as everybody outside this service knows it. */
  readonly person_id: string;
  readonly token_hash: Uint8Array;
  readonly store_name: string;
  readonly user_id: string;
  readonly user_name: string;
  readonly email: string;
  readonly role: UserRole;
  readonly seller_id: string | null;
  /** When the person proved who they are. */
  readonly signed_in_at: Date;
  readonly created_at: Date;
  readonly last_seen_at: Date;
  readonly expires_at: Date;
  readonly ended_at: Date | null;
  readonly disabled_at: Date | null;
  /** The clock of the database. */
  readonly now: Date;
};

export async function insertLoginLink(
  sql: TransactionSql,
  link: { id: string; hash: Uint8Array; storeId: string; userId: string; reach: Reach; seconds: number },
): Promise<Date> {
  const [row] = await sql<{ expires_at: Date }[]>`
    insert into login_links (id, store_id, user_id, token_hash, reach, expires_at)
    values (${link.id}, ${link.storeId}, ${link.userId}, ${link.hash}, ${link.reach},
      clock_timestamp() + make_interval(secs => ${link.seconds}))
    returning expires_at`;
  return (row as { expires_at: Date }).expires_at;
}

export async function findLoginLink(sql: Sql, id: string): Promise<LoginLinkRow | undefined> {
  const [row] = await sql<LoginLinkRow[]>`
    select l.store_id, st.name as store_name, l.user_id, coalesce(m.name, u.name) as user_name,
      lower(u.email) as email, l.token_hash,
      l.reach, l.expires_at, l.used_at, u.disabled_at, clock_timestamp() as now
    from login_links l
    join users u on u.id = l.user_id
    join memberships m on m.store_id = l.store_id and m.user_id = l.user_id
    join stores st on st.id = l.store_id
    where l.id = ${id}`;
  return row;
}

/** Uses a link. The person's other links of the store end, and the store has a way in again if all of them had ended. */
export async function useLoginLink(
  sql: TransactionSql,
  { id, storeId, userId }: { id: string; storeId: string; userId: string },
): Promise<void> {
  await sql`update login_links set used_at = clock_timestamp() where id = ${id}`;
  await sql`
    delete from login_links where store_id = ${storeId} and user_id = ${userId} and used_at is null`;
  await sql`
    update memberships set access_ended_at = null
    where store_id = ${storeId} and user_id = ${userId} and access_ended_at is not null`;
}

export async function insertSession(
  sql: TransactionSql,
  session: {
    id: string;
    hash: Uint8Array;
    storeId: string;
    userId: string;
    reach: Reach;
    openedBy: OpenedBy;
    passkeyId: string | null;
    /** When the person proved who they are. Null: now. */
    signedInAt: Date | null;
    /** Null: after `days`. */
    expiresAt: Date | null;
    days: number;
    address: string;
    agent: string | null;
  },
): Promise<void> {
  await sql`
    insert into sessions
      (id, store_id, user_id, token_hash, reach, opened_by, passkey_id, signed_in_at, expires_at, address, agent)
    values (${session.id}, ${session.storeId}, ${session.userId}, ${session.hash}, ${session.reach},
      ${session.openedBy}, ${session.passkeyId}, coalesce(${session.signedInAt}, clock_timestamp()),
      coalesce(${session.expiresAt}, clock_timestamp() + make_interval(days => ${session.days})),
      ${session.address}, ${session.agent})`;
}

export async function findSession(sql: Sql, id: string): Promise<SessionRow | undefined> {
  const [row] = await sql<SessionRow[]>`
    select s.id, s.token_hash, s.store_id, st.name as store_name, s.user_id,
      person_id(s.store_id, s.user_id) as person_id, coalesce(m.name, u.name) as user_name,
      lower(u.email) as email, m.role, m.seller_id, s.reach, s.opened_by, s.passkey_id,
      coalesce(s.signed_in_at, s.created_at) as signed_in_at, s.created_at, s.last_seen_at, s.expires_at,
      s.ended_at, u.disabled_at, clock_timestamp() as now
    from sessions s
    join users u on u.id = s.user_id
    join memberships m on m.store_id = s.store_id and m.user_id = s.user_id
    join stores st on st.id = s.store_id
    where s.id = ${id}`;
  return row;
}

/** What decides whether a session is open, and what its person and store may do. */
export type CheckedSessionRow = Omit<
  SessionRow,
  'store_name' | 'email' | 'reach' | 'opened_by' | 'signed_in_at' | 'created_at'
> & { readonly tier: Tier; readonly country: string | null; readonly timezone: string; readonly locale: string };

export async function findSessions(sql: Sql, ids: string[]): Promise<CheckedSessionRow[]> {
  return await sql<CheckedSessionRow[]>`
    select s.id, s.token_hash, s.store_id, s.user_id, person_id(s.store_id, s.user_id) as person_id,
      coalesce(m.name, u.name) as user_name, m.role, m.seller_id, s.last_seen_at, s.expires_at, s.ended_at, u.disabled_at, st.tier, st.country, st.timezone, st.locale, clock_timestamp() as now
    from sessions s
    join users u on u.id = s.user_id
    join memberships m on m.store_id = s.store_id and m.user_id = s.user_id
    join stores st on st.id = s.store_id
    where s.id = any(${ids})`;
}

/** Records that the session is in use, at most once a minute. */
export async function touchSession(sql: Sql, id: string): Promise<void> {
  await sql`
    update sessions set last_seen_at = clock_timestamp()
    where id = ${id} and ended_at is null and last_seen_at < clock_timestamp() - interval '1 minute'`;
}

/** The person now has what they set in this session, so it counts as if they had signed in with it. */
export async function markProved(
  sql: TransactionSql,
  session: Pick<SessionRow, 'id' | 'reach'>,
  passkeyId: string | null,
): Promise<void> {
  const openedBy = passkeyId === null ? 'password' : 'passkey';
  await sql`
    update sessions
    set opened_by = ${openedBy}, passkey_id = ${passkeyId}, reach = ${reachAfter(openedBy, session)}
    where id = ${session.id}`;
}

export type OpenSessionRow = Pick<SessionRow, 'id' | 'created_at' | 'last_seen_at' | 'expires_at'> & {
  readonly address: string;
  readonly agent: string | null;
};

type Holder = Pick<SessionRow, 'id' | 'user_id'> & Reaching;

/** The person's sessions that the holder of one may see and end: those in the stores to which they may go. */
const within = (sql: Sql, holder: Holder) => sql`
  s.user_id = ${holder.user_id} and s.ended_at is null and exists (
    select from memberships m
    where m.user_id = s.user_id and m.store_id = s.store_id and ${isReachable(sql, holder)})`;

/** The open sessions that the holder of one may see, newest first. */
export async function listOpenSessions(sql: Sql, holder: Holder, idleHours: number): Promise<OpenSessionRow[]> {
  return await sql<OpenSessionRow[]>`
    select s.id, s.created_at, s.last_seen_at, s.expires_at, s.address, s.agent from sessions s
    where ${within(sql, holder)} and s.expires_at > clock_timestamp()
      and s.last_seen_at > clock_timestamp() - make_interval(hours => ${idleHours})
    order by s.created_at desc, s.id limit 200`;
}

/** Ends a session that the holder of one may end. Returns its store, or null when there is none. */
export async function endSessionWithin(sql: TransactionSql, holder: Holder, id: string): Promise<string | null> {
  const [row] = await sql<{ store_id: string }[]>`
    update sessions s set ended_at = clock_timestamp()
    where s.id = ${id} and ${within(sql, holder)} returning s.store_id`;
  return row?.store_id ?? null;
}

/** Ends all sessions that the holder of one may end, except that one, and the links of these stores. */
export async function endOtherSessions(sql: TransactionSql, holder: Holder): Promise<void> {
  await sql`
    update sessions s set ended_at = clock_timestamp() where s.id <> ${holder.id} and ${within(sql, holder)}`;
  await sql`
    delete from login_links l using memberships m
    where l.user_id = ${holder.user_id} and l.used_at is null and m.user_id = l.user_id and m.store_id = l.store_id
      and ${isReachable(sql, holder)}`;
}

/** Ends a session. False: it had ended. */
export async function endSessionRow(sql: TransactionSql, id: string): Promise<boolean> {
  const rows = await sql`
    update sessions set ended_at = clock_timestamp() where id = ${id} and ended_at is null returning 1`;
  return rows.length > 0;
}

/** Ends all sessions of a person, and returns how many were open. */
export async function endSessionsOf(sql: TransactionSql, userId: string): Promise<number> {
  const rows = await sql`
    update sessions set ended_at = clock_timestamp() where user_id = ${userId} and ended_at is null returning 1`;
  return rows.length;
}

/** Deletes links and sessions that have been over for 30 days, some at a time. Returns how many. */
export async function purgeOver(sql: TransactionSql, limit: number): Promise<number> {
  const links = await sql`
    delete from login_links where id in (
      select id from login_links where expires_at < now() - interval '30 days' limit ${limit}) returning 1`;
  const sessions = await sql`
    delete from sessions where id in (
      select id from sessions where expires_at < now() - interval '30 days' limit ${limit}) returning 1`;
  return links.length + sessions.length;
}
