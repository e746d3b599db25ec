-- The event feed of each store, and the webhooks that send it on.

-- Row-level security of a table whose rows belong to stores: a request reads and writes only the rows of its store. It
-- binds the owner of the table, too. The end of this file drops the function.
create function keep_to_store(target regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security, force row level security', target);
  execute format('create policy store on %1$s to events using (%2$s) with check (%2$s)', target,
    'store_id = (select nullif(current_setting(''mostrador.store_id'', true), '''')::uuid)');
end $$;

-- The feed -------------------------------------------------------------------------------------------------------------

-- The counter of a feed. Its row is locked while events are appended, so the events of a store commit in the order of
-- their numbers, and the numbers have no gaps.
create table feeds (
  store_id uuid primary key,
  last_sequence bigint not null default 0,
  -- the first event that is kept; after an empty feed the next one
  oldest_sequence bigint not null default 1,
  last_appended_at timestamptz(3) not null,
  constraint feeds_range check (oldest_sequence between 1 and last_sequence + 1)
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_threshold = 500
);

-- One partition holds the events that were appended on one day in UTC. `appended_at` never falls within a feed, so the
-- oldest partition holds the beginning of every feed. There is no default partition: attaching the next day would lock
-- and scan it.
create table events (
  store_id uuid not null,
  sequence bigint not null,
  id uuid not null,
  type text not null,
  entity_type text not null,
  entity_id uuid not null,
  entity_version bigint not null,
  data jsonb not null,
  created_at timestamptz(3) not null,
  appended_at timestamptz(3) not null,
  primary key (store_id, sequence, appended_at)
) partition by range (appended_at);
create index events_by_id on events (id);
alter table feeds enable row level security, force row level security;
create policy store on feeds for select to events
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy append on feeds to events_system using (true) with check (true);
alter table events enable row level security, force row level security;
create policy store on events for select to events
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy append on events to events_system using (true) with check (true);
grant select on feeds, events to events;
grant select, insert, update on feeds to events_system;
grant select, insert on events to events_system;

-- The roles of the service create and drop nothing, so these functions run as the owner of the tables.

-- Makes the partition of a day. It is attached and not created in its place, because that would lock out every reader
-- and writer; attaching an empty table locks out no request.
create function make_event_partition(day date) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, events, pg_temp
as $$
declare
  partition text := format('events_%s', to_char(day, 'YYYYMMDD'));
begin
  perform pg_advisory_xact_lock(hashtext('mostrador event partitions'));
  if to_regclass(format('events.%I', partition)) is not null then
    return;
  end if;
  execute format('create table events.%I (like events.events including all)', partition);
  execute format('alter table events.%I enable row level security', partition);
  execute format('alter table events.%I force row level security', partition);
  execute format(
    'alter table events.events attach partition events.%I for values from (%L) to (%L)',
    partition, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
end
$$;

-- Drops the partition of a day. That locks out readers and writers for a moment. While the lock is awaited they queue
-- behind it, so the wait is short: the job tries again later.
create function drop_event_partition(day date) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, events, pg_temp
set lock_timeout = '250ms'
as $$
begin
  execute format('drop table if exists events.%I', format('events_%s', to_char(day, 'YYYYMMDD')));
end
$$;

revoke execute on function make_event_partition, drop_event_partition from public;
grant execute on function make_event_partition, drop_event_partition to events_system;

-- The latest restore of this database after which the feeds restarted: one row, or none.
create table restore_fence (
  one boolean primary key default true check (one),
  -- The moment to which the database was restored.
  since timestamptz(3) not null,
  -- The numbers of every feed go on after it, also of a feed that is made later. It is added to the versions of entities,
  -- because a restore takes the positions of feed entries back, too.
  base bigint not null check (base > 0)
);
alter table restore_fence enable row level security, force row level security;
create policy reading on restore_fence for select to events using (true);
create policy fencing on restore_fence to events_system using (true) with check (true);
grant select on restore_fence to events;
grant select, insert, update on restore_fence to events_system;

-- Webhooks -------------------------------------------------------------------------------------------------------------

-- The system role runs the jobs. They look at every store: what is due or overdue, what is too old, and the metrics.

-- The row is locked by each transaction that plans, claims or records deliveries of the endpoint, before any of its deliveries.
create table webhook_endpoints (
  store_id uuid not null,
  id uuid not null default uuidv7(),
  url text not null check (char_length(url) between 1 and 2000),
  description text check (char_length(description) between 1 and 500),
  -- null: every type
  event_types text[],
  ordering text not null check (ordering in ('entity', 'none')),
  payload text not null check (payload in ('object', 'thin')),
  max_in_flight integer not null check (max_in_flight between 1 and 20),
  status text not null default 'enabled' check (status in ('enabled', 'paused', 'disabled')),
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  -- `v1.<key id>.…`; a process is ready when ENCRYPTION_KEYS opens them
  sealed_secrets text not null,
  secrets_key_id text generated always as (split_part(sealed_secrets, '.', 2)) virtual,
  public_key text,
  -- Every event of the feed up to here has a delivery, or is none for this endpoint.
  planned_through bigint not null check (planned_through >= 0),
  -- Who looks for due deliveries: the service itself, or the workflow `webhook:<id>`.
  sender text not null default 'service' check (sender in ('service', 'workflow')),
  -- When the sender must look; null: nothing can be sent.
  due_at timestamptz,
  -- Failed attempts since the last success.
  failures integer not null default 0,
  failing_since timestamptz,
  last_failed_id uuid,
  several_fail boolean not null default false,
  -- No attempt begins before this moment.
  blocked_until timestamptz,
  last_success_at timestamptz,
  version integer not null default 1,
  -- When the sweep last woke the workflow.
  woken_at timestamptz(3),
  -- No request sees the endpoint any more. The purge removes its deliveries, and then the row.
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  primary key (store_id, id),
  check ((status = 'disabled') = (disabled_reason is not null)),
  check ((failures = 0) = (failing_since is null))
) with (fillfactor = 50);
create index webhook_endpoints_due on webhook_endpoints (sender, due_at) where due_at is not null;
create index webhook_endpoints_deleted on webhook_endpoints (deleted_at) where deleted_at is not null;
select keep_to_store('webhook_endpoints');
create policy jobs on webhook_endpoints to events_system using (true);
grant select, insert, update on webhook_endpoints to events;
grant select (store_id, id, secrets_key_id, status, sender, due_at, planned_through, woken_at, deleted_at),
  -- A fence moves the endpoints that wait for the next event.
  update (planned_through, woken_at), delete on webhook_endpoints to events_system;

create table webhook_deliveries (
  store_id uuid not null,
  id uuid not null default uuidv7(),
  endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  -- null: a test, whose event is not in the feed
  sequence bigint,
  entity_id uuid not null,
  -- when the event happened
  occurred_at timestamptz(3) not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed', 'cancelled')),
  -- An attempt counts when it begins.
  attempts integer not null default 0,
  -- failed attempts of this round; a retry by request or a replay begins another one
  step integer not null default 0,
  next_attempt_at timestamptz default statement_timestamp(),
  first_failed_at timestamptz,
  last_failed_at timestamptz,
  -- whether the endpoint answered to the last attempt that failed
  answered boolean not null default false,
  error text,
  lease_token uuid,
  lease_until timestamptz,
  replay_id uuid,
  created_at timestamptz(3) not null default clock_timestamp(),
  completed_at timestamptz(3),
  primary key (store_id, id),
  unique (store_id, endpoint_id, sequence),
  check ((status = 'pending') = (next_attempt_at is not null)),
  check ((status = 'pending') = (completed_at is null)),
  check (status = 'pending' or lease_token is null),
  check ((lease_token is null) = (lease_until is null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
create index webhook_deliveries_due on webhook_deliveries (store_id, endpoint_id, next_attempt_at, sequence)
  where status = 'pending';
create index webhook_deliveries_of_entity on webhook_deliveries (store_id, endpoint_id, entity_id, sequence)
  where status = 'pending';
create index webhook_deliveries_running on webhook_deliveries (store_id, endpoint_id) where lease_token is not null;
create index webhook_deliveries_failing on webhook_deliveries (store_id, endpoint_id, first_failed_at)
  where status = 'pending' and first_failed_at is not null;
create index webhook_deliveries_by_time on webhook_deliveries (store_id, endpoint_id, created_at, id);
create index webhook_deliveries_by_status on webhook_deliveries (store_id, endpoint_id, status, created_at, id);
create index webhook_deliveries_of_replay on webhook_deliveries (store_id, replay_id, status)
  where replay_id is not null;
create index webhook_deliveries_oldest on webhook_deliveries (occurred_at) where status = 'pending';
create index webhook_deliveries_completed on webhook_deliveries (completed_at) where completed_at is not null;
select keep_to_store('webhook_deliveries');
create policy jobs on webhook_deliveries to events_system using (true);
grant select, insert, update on webhook_deliveries to events;
grant select (store_id, id, endpoint_id, status, occurred_at, completed_at), delete
  on webhook_deliveries to events_system;

-- The log: one row an attempt.
create table webhook_attempts (
  store_id uuid not null,
  delivery_id uuid not null,
  number integer not null,
  endpoint_id uuid not null,
  started_at timestamptz(3) not null,
  duration_ms integer not null,
  response_status integer,
  response_body text,
  -- for the purge, which does not see the body
  has_body boolean generated always as (response_body is not null) stored,
  error text,
  primary key (store_id, delivery_id, number)
);
create index webhook_attempts_by_time on webhook_attempts (started_at);
create index webhook_attempts_with_body on webhook_attempts (started_at) where has_body;
create index webhook_attempts_of_endpoint on webhook_attempts (store_id, endpoint_id);
select keep_to_store('webhook_attempts');
create policy jobs on webhook_attempts to events_system using (true);
grant select, insert, update on webhook_attempts to events;
grant select (store_id, delivery_id, number, endpoint_id, started_at, has_body), update (response_body), delete
  on webhook_attempts to events_system;

create table webhook_replays (
  store_id uuid not null,
  id uuid not null default uuidv7(),
  endpoint_id uuid not null,
  selection text not null check (selection in ('failed', 'all')),
  -- null: those of the endpoint
  event_types text[],
  from_sequence bigint not null,
  to_sequence bigint not null,
  looked_through bigint not null,
  chosen bigint not null default 0,
  status text not null default 'running' check (status in ('running', 'done', 'cancelled')),
  created_at timestamptz(3) not null default clock_timestamp(),
  ended_at timestamptz(3),
  primary key (store_id, id),
  check ((status = 'running') = (ended_at is null))
);
create index webhook_replays_running on webhook_replays (store_id, endpoint_id) where status = 'running';
create index webhook_replays_of_endpoint on webhook_replays (store_id, endpoint_id);
select keep_to_store('webhook_replays');
create policy jobs on webhook_replays to events_system using (true);
grant select, insert, update on webhook_replays to events;
grant select (store_id, id, endpoint_id, status), delete on webhook_replays to events_system;

-- Totals of lists ------------------------------------------------------------------------------------------------------

-- How many rows the lists of a store have, by status and owner: docs/adr/0028.

-- The rows that are counted. `owner` is the seller or the endpoint that the list filters by.
create table list_totals (
  store_id uuid not null,
  list text not null,
  status text,
  owner uuid,
  rows bigint not null,
  constraint list_totals_group unique nulls not distinct (store_id, list, status, owner)
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 500
);
-- What is not counted yet. A transaction that changes a list only inserts, so it waits for no other. A job adds the
-- changes to the totals. Rows live for milliseconds, so autovacuum starts early, by the number of dead rows whatever the
-- table's size.
create table list_total_changes (
  store_id uuid not null,
  list text not null,
  id bigint generated always as identity,
  status text,
  owner uuid,
  change integer not null,
  primary key (store_id, list, id)
) with (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 5000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0
);
-- The lists whose totals are right. Without a row, some rows may be missing, and readers count.
create table list_totals_built (
  store_id uuid not null,
  list text not null,
  primary key (store_id, list)
);

select keep_to_store('list_totals');
create policy folding on list_totals to events_system using (true) with check (true);
select keep_to_store('list_total_changes');
create policy folding on list_total_changes to events_system using (true) with check (true);
-- What a foreign key changes is the owner's work, and so are its triggers.
create policy owner on list_total_changes for insert to events_owner with check (true);
select keep_to_store('list_totals_built');
create policy verifying on list_totals_built for select to events_system using (true);
grant select, insert, delete on list_totals, list_total_changes to events;
grant select, insert on list_totals_built to events;
grant select, insert, update on list_totals to events_system;
grant select, insert, delete on list_total_changes to events_system;
grant select on list_totals_built to events_system;

create function count_deliveries() returns trigger
language plpgsql
set search_path = pg_catalog, events, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    insert into list_total_changes (store_id, list, status, owner, change)
    select store_id, 'webhook_deliveries', status, endpoint_id, count(*) from added group by store_id, status, endpoint_id;
  elsif tg_op = 'DELETE' then
    insert into list_total_changes (store_id, list, status, owner, change)
    select store_id, 'webhook_deliveries', status, endpoint_id, -count(*) from removed
    group by store_id, status, endpoint_id;
  else
    insert into list_total_changes (store_id, list, status, owner, change)
    values (old.store_id, 'webhook_deliveries', old.status, old.endpoint_id, -1),
      (new.store_id, 'webhook_deliveries', new.status, new.endpoint_id, 1);
  end if;
  return null;
end
$$;

create function count_endpoint() returns trigger
language plpgsql
set search_path = pg_catalog, events, pg_temp
as $$
begin
  if tg_op <> 'INSERT' and old.deleted_at is null then
    insert into list_total_changes (store_id, list, change) values (old.store_id, 'webhook_endpoints', -1);
  end if;
  if tg_op <> 'DELETE' and new.deleted_at is null then
    insert into list_total_changes (store_id, list, change) values (new.store_id, 'webhook_endpoints', 1);
  end if;
  return null;
end
$$;

revoke execute on function count_deliveries, count_endpoint from public;
grant execute on function count_deliveries, count_endpoint to events;

-- An update that moves no row to another group fires no trigger.
create trigger count_added after insert on webhook_deliveries referencing new table as added
  for each statement execute function count_deliveries();
create trigger count_removed after delete on webhook_deliveries referencing old table as removed
  for each statement execute function count_deliveries();
create trigger count_moved after update on webhook_deliveries for each row
  when (old.status is distinct from new.status) execute function count_deliveries();
create trigger count_changed after insert or delete on webhook_endpoints
  for each row execute function count_endpoint();
create trigger count_moved after update on webhook_endpoints for each row
  when ((old.deleted_at is null) is distinct from (new.deleted_at is null)) execute function count_endpoint();

-- The rows of each list, by what it filters. Totals are built from it. No request sees a deleted endpoint.
create view list_rows with (security_invoker = true) as
  select store_id, 'webhook_deliveries' as list, status, endpoint_id as owner from webhook_deliveries
union all
  select store_id, 'webhook_endpoints', null, null from webhook_endpoints where deleted_at is null;
grant select on list_rows to events;

-- Tables of every service ----------------------------------------------------------------------------------------------

-- The outbox: the wake-ups and events of a transaction, which the relay delivers after its commit.
-- Rows live for milliseconds, so autovacuum starts early, by the number of dead rows whatever the table's size.
create table outbox (
  id uuid primary key default uuidv7(),
  store_id uuid not null,
  kind text not null check (kind in ('workflow', 'event')),
  -- workflow: the entity workflow's name; event: the event's type
  topic text not null,
  -- workflow
  entity_id uuid,
  lead_id uuid,
  signal text,
  -- event
  data jsonb,
  created_at timestamptz(3) not null default now(),
  attempts integer not null default 0,
  -- when the relay may claim the row: a claim moves it to the end of the lease, a failure to the next attempt
  -- (in microseconds: rounded up to milliseconds, a new row would not be due yet)
  next_attempt_at timestamptz not null default now(),
  last_error text,
  check (case kind when 'workflow' then entity_id is not null and signal is not null else data is not null end)
) with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 5000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0
);
create index outbox_due on outbox (kind, next_attempt_at);

select keep_to_store('outbox');
create policy relay on outbox to events_system using (true) with check (true);
grant insert, select on outbox to events;
grant select, insert, update, delete on outbox to events_system;

-- Stored answers by Idempotency-Key. The transaction that does the work writes its answer here.
create table idempotency_records (
  store_id uuid not null,
  -- method and concrete path: `POST /appointments`
  scope text not null,
  key text not null,
  -- SHA-256 in hex of the request's canonical body
  fingerprint text not null,
  -- the reply's bytes as they were sent
  reply bytea not null,
  etag text,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null default now() + interval '24 hours',
  primary key (store_id, scope, key)
) with (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 500
);
create index idempotency_records_expiry on idempotency_records (expires_at);

select keep_to_store('idempotency_records');
create policy purge on idempotency_records to events_system using (true);
grant select, insert, update on idempotency_records to events;
grant select, delete on idempotency_records to events_system;

drop function keep_to_store(regclass);
