-- How many rows the lists of a store have: docs/adr/0028. The tables are those of packages/kit/sql/list-totals.sql.

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
-- The lists whose totals are right. Without a row, rows from before the triggers may be missing, and readers count.
create table list_totals_built (
  store_id uuid not null,
  list text not null,
  primary key (store_id, list)
);

alter table list_totals enable row level security;
alter table list_totals force row level security;
create policy store on list_totals to messaging
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy folding on list_totals to messaging_system using (true) with check (true);
alter table list_total_changes enable row level security;
alter table list_total_changes force row level security;
create policy store on list_total_changes to messaging
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy folding on list_total_changes to messaging_system using (true) with check (true);
-- What a foreign key changes is the owner's work, and so are its triggers.
create policy owner on list_total_changes for insert to messaging_owner with check (true);
alter table list_totals_built enable row level security;
alter table list_totals_built force row level security;
create policy store on list_totals_built to messaging
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy verifying on list_totals_built for select to messaging_system using (true);
grant select, insert, delete on list_totals, list_total_changes to messaging;
grant select, insert on list_totals_built to messaging;
grant select, insert, update on list_totals to messaging_system;
grant select, insert, delete on list_total_changes to messaging_system;
grant select on list_totals_built to messaging_system;

-- The functions of the triggers. Each table gets its triggers in a file of its own, because a transaction that locks two
-- tables could wait for a request that waits for it.

-- For messages, which come one by one. The argument is the list.
create function count_row() returns trigger
language plpgsql
set search_path = pg_catalog, messaging, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    insert into list_total_changes (store_id, list, status, change) values (new.store_id, tg_argv[0], new.status, 1);
  elsif tg_op = 'DELETE' then
    insert into list_total_changes (store_id, list, status, change) values (old.store_id, tg_argv[0], old.status, -1);
  else
    insert into list_total_changes (store_id, list, status, change)
    values (old.store_id, tg_argv[0], old.status, -1), (new.store_id, tg_argv[0], new.status, 1);
  end if;
  return null;
end
$$;

create function count_conversation() returns trigger
language plpgsql
set search_path = pg_catalog, messaging, pg_temp
as $$
begin
  if tg_op <> 'INSERT' and old.last_message_at is not null and old.lead_version is not null then
    insert into list_total_changes (store_id, list, status, owner, change)
    values (old.store_id, 'conversations', old.lead_status, old.seller_id, -1);
  end if;
  if tg_op <> 'DELETE' and new.last_message_at is not null and new.lead_version is not null then
    insert into list_total_changes (store_id, list, status, owner, change)
    values (new.store_id, 'conversations', new.lead_status, new.seller_id, 1);
  end if;
  return null;
end
$$;

revoke execute on function count_row, count_conversation from public;
grant execute on function count_row, count_conversation to messaging;
