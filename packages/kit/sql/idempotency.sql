-- Stored answers by Idempotency-Key. The transaction that does the work writes its answer here.
-- Canonical text; a service's migration holds a copy with its own roles for `service` and `service_system`.
create table idempotency_records (
  store_id uuid not null,
  -- method and concrete path: `POST /appointments`
  scope text not null,
  key text not null,
  -- SHA-256 in hex of the request's canonical body
  fingerprint text not null,
  -- the reply's bytes as they were sent; null until a deferred answer is known
  reply bytea,
  etag text,
  -- the row of a deferred answer (`withDeferredIdempotency`; a service without it may leave the column out)
  entity_id uuid,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null default now() + interval '24 hours',
  primary key (store_id, scope, key),
  constraint idempotency_records_answer check (reply is not null or entity_id is not null)
) with (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 500
);
create index idempotency_records_expiry on idempotency_records (expires_at);

alter table idempotency_records enable row level security;
alter table idempotency_records force row level security;
create policy store on idempotency_records to service
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy purge on idempotency_records to service_system using (true);
grant select, insert, update on idempotency_records to service;
grant select, delete on idempotency_records to service_system;
