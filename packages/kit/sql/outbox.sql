-- The outbox: the wake-ups and events of a transaction, which the relay delivers after its commit.
-- Canonical text; a service's migration holds a copy with its own roles for `service` and `service_system`.
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
  -- workflow: the trace in which the entry was written, as a W3C traceparent
  traceparent text,
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

alter table outbox enable row level security;
alter table outbox force row level security;
create policy store on outbox to service
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy relay on outbox to service_system using (true) with check (true);
grant insert, select on outbox to service;
grant select, insert, update, delete on outbox to service_system;
