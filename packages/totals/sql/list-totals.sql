-- How many rows the lists of a store have, by status and owner: docs/adr/0028.
-- Canonical text; a service's migration holds a copy with its own roles. After it, the migration creates
--   - triggers that write what each statement changes into `list_total_changes`,
--   - at last the view from which totals are built, with a row for each row of each list:
--       list_rows (store_id uuid, list text, status text, owner uuid)

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

alter table list_totals enable row level security;
alter table list_totals force row level security;
create policy store on list_totals to service
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy folding on list_totals to service_system using (true) with check (true);
alter table list_total_changes enable row level security;
alter table list_total_changes force row level security;
create policy store on list_total_changes to service
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy folding on list_total_changes to service_system using (true) with check (true);
-- What a foreign key changes is the owner's work, and so are its triggers.
create policy owner on list_total_changes for insert to service_owner with check (true);
alter table list_totals_built enable row level security;
alter table list_totals_built force row level security;
create policy store on list_totals_built to service
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy verifying on list_totals_built for select to service_system using (true);
grant select, insert, delete on list_totals, list_total_changes to service;
grant select, insert on list_totals_built to service;
grant select, insert, update on list_totals to service_system;
grant select, insert, delete on list_total_changes to service_system;
grant select on list_totals_built to service_system;
