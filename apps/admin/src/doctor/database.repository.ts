import type { Sql } from '@mostrador/kit/database/database';
import type { AiBudgetReached } from './ai-budgets.ts';
import type { OpenCircuit } from './circuits.ts';
import type { FailingEmbedders } from './embedders.ts';
import type { FoundStore } from './finding.ts';
import type { FailingModels } from './models.ts';
import type { TroubledNumber } from './numbers.ts';

/** Of stores that a check names. */
const mostStores = 20;

export type ServerState = {
  readonly version: string;
  readonly read_only: boolean;
  readonly standby: boolean;
  readonly unbound: boolean;
  readonly connections: number;
  readonly most_connections: number;
  readonly now: Date;
};

export const readServer = async (sql: Sql): Promise<ServerState> => {
  const [row] = await sql<[ServerState]>`
    select current_setting('server_version') as version, current_setting('transaction_read_only')::bool as read_only,
      pg_is_in_recovery() as standby, clock_timestamp() as now,
      (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as unbound,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
      current_setting('max_connections')::int as most_connections`;
  return row;
};

/**
 * Writes a megabyte and undoes it. A full disk refuses it, whatever fills it: the log, the tables, or both.
 */
export async function tryToWrite(sql: Sql): Promise<void> {
  await sql.unsafe('begin');
  try {
    await sql.unsafe(`
      create temporary table doctor_writes on commit drop as
        select repeat(md5(n::text), 32) as filling from generate_series(1, 1000) as n`);
    await sql`select pg_logical_emit_message(true, 'mostrador', repeat('x', 8192))`;
  } finally {
    await sql.unsafe('rollback');
  }
}

export type Replication = {
  readonly slots: readonly { readonly name: string; readonly retained_bytes: number }[];
  readonly archive: string;
  readonly archived_at: Date | null;
  readonly archive_failed_at: Date | null;
  readonly fenced_since: Date | null;
  readonly now: Date;
  /** Since when the first finished file of the log waits for the archive. Null: none waits. Undefined: not known. */
  readonly unarchived_since?: Date | null;
  /** When the newest base backup ended. Null: the server knows of none. Undefined: not known. */
  readonly backed_up_at?: Date | null;
};

/**
 * A finished file of the log has a mark `.ready` until it is archived. The newest base backup leaves a file `.backup` in
 * the log until the next one. Both need the rights of pg_monitor.
 */
async function readLogFolder(sql: Sql): Promise<Pick<Replication, 'unarchived_since' | 'backed_up_at'>> {
  const [right] = await sql<[{ may: boolean }]>`
    select has_function_privilege('pg_ls_archive_statusdir()', 'execute')
      and has_function_privilege('pg_ls_waldir()', 'execute') as may`;
  if (!right.may) return {};
  const [found] = await sql<[Required<Pick<Replication, 'unarchived_since' | 'backed_up_at'>>]>`
    select (select min(modification) from pg_ls_archive_statusdir() where name like '%.ready') as unarchived_since,
      (select max(modification) from pg_ls_waldir() where name like '%.backup') as backed_up_at`;
  return found;
}

export async function readReplication(sql: Sql): Promise<Replication> {
  const [[state], slots, folder] = await Promise.all([
    sql<[Omit<Replication, 'slots' | 'unarchived_since' | 'backed_up_at'>]>`
      select current_setting('archive_mode') as archive, last_archived_time as archived_at,
        last_failed_time as archive_failed_at, clock_timestamp() as now,
        (select max(since) from scheduling.restore_fence) as fenced_since
      from pg_stat_archiver`,
    sql<Replication['slots'][number][]>`
      select slot_name as name,
        case when pg_is_in_recovery() then 0 else pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) end::float8 as retained_bytes
      from pg_replication_slots where not active and restart_lsn is not null`,
    readLogFolder(sql),
  ]);
  return { ...state, ...folder, slots };
}

export type RoleState = {
  readonly name: string;
  readonly login: boolean;
  readonly too_much: boolean;
  readonly foreign_schemas: readonly string[];
};

/** The roles of these names that exist. `too_much`: rights that no process may have. */
export const readRoles = (sql: Sql, names: readonly string[], schemas: readonly string[]) => sql<RoleState[]>`
  select rolname as name, rolcanlogin as login,
    rolsuper or rolbypassrls or rolcreaterole or rolcreatedb as too_much,
    array(select nspname::text from pg_namespace
      where nspname = any(${[...schemas]}::text[]) and nspname <> split_part(rolname, '_', 1)
        and not (rolname = 'gateway_system' and nspname = 'accounts')
        and has_schema_privilege(pg_roles.oid, pg_namespace.oid, 'usage')) as foreign_schemas
  from pg_roles where rolname = any(${[...names]}::text[])`;

/** Tables with rows of stores that row-level security does not keep apart, also for their owner. */
export const readOpenTables = (sql: Sql, schemas: readonly string[]) => sql<{ name: string }[]>`
  select nspname || '.' || relname as name from pg_class
  join pg_namespace on pg_namespace.oid = relnamespace
  where nspname = any(${[...schemas]}::text[]) and relkind in ('r', 'p') and not relispartition
    and exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'store_id' and not attisdropped)
    and not (relrowsecurity and relforcerowsecurity)
  order by 1`;

/** Indexes that PostgreSQL does not use, and whether one of them is being built now. */
export const readInvalidIndexes = (sql: Sql, schemas: readonly string[]) => sql<
  { name: string; schema: string; building: boolean }[]
>`
  select nspname as schema, nspname || '.' || index.relname as name,
    exists (select from pg_stat_progress_create_index build where build.index_relid = indexrelid) as building
  from pg_index join pg_class index on index.oid = indexrelid join pg_namespace on pg_namespace.oid = index.relnamespace
  where nspname = any(${[...schemas]}::text[]) and not indisvalid order by 1`;

/** The newest migration of a schema. */
export async function readNewestMigration(sql: Sql, schema: string): Promise<string | null> {
  const [row] = await sql<{ name: string | null }[]>`select max(name) as name from ${sql(schema)}.schema_migrations`;
  return row?.name ?? null;
}

export const readCircuits = (sql: Sql) => sql<OpenCircuit[]>`
  select * from (
    select 'scheduling' as service, origin, failures, since, open_until, updated_at from scheduling.provider_circuits
    union all
    select 'messaging', origin, failures, since, open_until, updated_at from messaging.provider_circuits) as circuits
  where open_until is not null and updated_at > now() - interval '1 day'`;

/** One failed call may be a short fault of the provider; a rejected one is mended by a person only. */
export const readFailingModels = (sql: Sql) => sql<FailingModels[]>`
  select provider, failure_kind as kind, count(*)::int as stores, max(failures)::int as failures,
    max(failed_at) as failed_at, (array_agg(c.store_id order by failed_at desc))[1] as store_id,
    coalesce(sum(turns.waiting), 0)::int as waiting, min(turns.since) as waiting_since
  from assistant.provider_connections c
  left join lateral (
    select count(*) as waiting, min(first_received_at) as since from assistant.ai_turns t
    where t.store_id = c.store_id and t.state = 'open' and t.model_failures ? c.provider) as turns on true
  where failure_kind is not null and failed_at > now() - interval '1 day'
    and failures >= case failure_kind when 'rejected' then 1 else 3 end
  group by 1, 2 order by 1, 2`;

/** As with models. A budget that is used up is no failure of the embedder. */
export const readFailingEmbedders = (sql: Sql) => sql<FailingEmbedders[]>`
  select failure as kind, count(*)::int as stores, max(attempts)::int as attempts,
    (array_agg(store_id order by attempts desc, store_id))[1] as store_id
  from crm.knowledge_indexes
  where next_attempt_at is not null and failure not in ('budget_reached', 'not_connected')
    and attempts >= case failure when 'rejected' then 1 else 3 end
  group by 1 order by 1`;

/** The first stores that have used up what their AI may use today, and since when. */
export const readAiBudgets = (sql: Sql) => sql<AiBudgetReached[]>`
  select store_id, reached_at as since, count(*) over ()::int as stores from assistant.model_days
  where day = (now() at time zone 'UTC')::date and reached_at is not null order by store_id limit ${mostStores}`;

export const readMessageBudgets = (sql: Sql) => sql<FoundStore[]>`
  select b.store_id, count(*) over ()::int as stores from messaging.message_budgets b join messaging.store_settings s on s.store_id = b.store_id
  where b.month = date_trunc('month', now() at time zone 'UTC')::date and b.told_percent = 100
    and s.monthly_budget is not null
  order by b.store_id limit ${mostStores}`;

/** The first numbers that a provider blocks or warns about, those that send nothing before the others. */
export const readNumbers = (sql: Sql) => sql<TroubledNumber[]>`
  select store_id, number_state ->> 'health' as health, number_checked_at as checked_at, count(*) over ()::int as stores
  from messaging.channels
  where disconnected_at is null and number_state ->> 'health' in ('blocked', 'warned')
  order by 2, store_id limit ${mostStores}`;

export type SealedRows = {
  readonly service: string;
  readonly key_id: string;
  readonly rows: number;
  readonly since: Date;
};

/** How many texts each key has sealed, and since when the oldest of them is there. */
export const readSealed = (sql: Sql) => sql<SealedRows[]>`
  select service, key_id, count(*)::int as rows, min(since) as since from (
    select 'scheduling' as service, unnest(array[credentials_key_id, feed_token_key_id]) as key_id, connected_at as since
    from scheduling.calendar_connections
    union all
    select 'messaging', unnest(array[credentials_key_id, page_token_key_id]), connected_at from messaging.channels
    union all
    select 'events', secrets_key_id, created_at from events.webhook_endpoints where deleted_at is null
    union all
    select 'assistant', credentials_key_id, connected_at from assistant.provider_connections
    union all
    select 'assistant', credentials_key_id, connected_at from assistant.embedders) as sealed
  where key_id is not null group by 1, 2 order by 1, 2`;
