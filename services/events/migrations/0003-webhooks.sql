-- Webhooks: where the events of a store are sent, and what became of each.

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
  -- When the sender shall look; null: nothing can be sent.
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

alter table webhook_endpoints enable row level security;
alter table webhook_endpoints force row level security;
alter table webhook_deliveries enable row level security;
alter table webhook_deliveries force row level security;
alter table webhook_attempts enable row level security;
alter table webhook_attempts force row level security;
alter table webhook_replays enable row level security;
alter table webhook_replays force row level security;
create policy store on webhook_endpoints to events
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy store on webhook_deliveries to events
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy store on webhook_attempts to events
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy store on webhook_replays to events
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update on webhook_endpoints, webhook_deliveries, webhook_attempts, webhook_replays to events;

-- The jobs look at every store: who has something to do, what is overdue, what is too old, and the metrics.
create policy jobs on webhook_endpoints to events_system using (true);
create policy jobs on webhook_deliveries to events_system using (true);
create policy jobs on webhook_attempts to events_system using (true);
create policy jobs on webhook_replays to events_system using (true);
grant select (store_id, id, secrets_key_id, status, sender, due_at, planned_through, woken_at, deleted_at)
  on webhook_endpoints to events_system;
grant update (woken_at), delete on webhook_endpoints to events_system;
grant select (store_id, id, endpoint_id, status, occurred_at, completed_at), delete
  on webhook_deliveries to events_system;
grant select (store_id, delivery_id, number, endpoint_id, started_at, has_body), update (response_body), delete
  on webhook_attempts to events_system;
grant select (store_id, id, endpoint_id, status), delete on webhook_replays to events_system;
