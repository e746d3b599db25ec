-- The outbox: what a transaction wants told to Temporal or to the event stream once it has committed.
-- Rows live for milliseconds, so the table is vacuumed early and by its dead rows, whatever its size.
create table outbox (
  id uuid primary key default uuidv7(),
  store_id uuid not null,
  kind text not null check (kind in ('workflow', 'event')),
  -- workflow: the carrier's name; event: the event's type
  topic text not null,
  -- workflow
  entity_id uuid,
  lead_id uuid,
  signal text,
  -- event
  data jsonb,
  created_at timestamptz(3) not null default now(),
  attempts integer not null default 0,
  -- when the relay may take the row: a claim moves it to the end of its lease, a failure to the next attempt
  -- (to the microsecond: rounded up, a new row would not be due yet)
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

alter table outbox enable row level security;
alter table outbox force row level security;
create policy store on outbox to accounts
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy relay on outbox to accounts_system using (true) with check (true);
grant insert, select on outbox to accounts;
grant select, insert, update, delete on outbox to accounts_system;

-- Answers kept under their Idempotency-Key, written in the transaction that did what they report.
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

alter table idempotency_records enable row level security;
alter table idempotency_records force row level security;
create policy store on idempotency_records to accounts
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy purge on idempotency_records to accounts_system using (true);
grant select, insert, update on idempotency_records to accounts;
grant select, delete on idempotency_records to accounts_system;

