-- Events for the public feed, which the relay sends to the events service in the order of their positions.
-- Canonical text; a service's migration holds a copy with its own roles for `service` and `service_system`.
-- Rows live for milliseconds, so autovacuum starts early, by the number of dead rows whatever the table's size.
create table feed_entries (
  -- drawn while the transaction holds the entity's lock, so it rises with each event of an entity
  position bigint generated always as identity primary key,
  -- the event's id, under which the feed knows a repeated entry
  id uuid not null default uuidv7(),
  store_id uuid not null,
  type text not null,
  entity_type text not null,
  entity_id uuid not null,
  -- `json`: the members keep the order that the API has
  data json not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  -- The events service refused this entry. To send it again, set both to null.
  set_aside_at timestamptz(3),
  last_error text,
  -- what caused it, and the resource's ETag and what it was before; null in an entry of a version without them
  etag text,
  actor json,
  request_id text,
  previous json,
  check ((set_aside_at is null) = (last_error is null))
) with (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 5000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0
);

alter table feed_entries enable row level security;
alter table feed_entries force row level security;
create policy store on feed_entries to service
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy relay on feed_entries to service_system using (true) with check (true);
grant insert, select on feed_entries to service;
grant select, update, delete on feed_entries to service_system;
