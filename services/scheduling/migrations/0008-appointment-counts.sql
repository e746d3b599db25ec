-- How many appointments of a store have which status, for its reports, which would have to read every row. Every
-- statement that writes appointments writes them too, so they are right at any moment. A store has 32 rows for each
-- status, one for each connection that writes at once, so that writers need not wait for one another; the count is their sum.
create table appointment_counts (
  store_id uuid not null,
  status text not null,
  slot smallint not null check (slot between 0 and 31),
  -- negative where what was counted in another slot went
  count bigint not null,
  primary key (store_id, status, slot)
) with (fillfactor = 50);

alter table appointment_counts enable row level security;
alter table appointment_counts force row level security;
create policy store on appointment_counts to scheduling
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update on appointment_counts to scheduling;

-- Whoever writes counts in the order of the key, so that no two wait for each other. An update that leaves every status as
-- it was counts nothing.
create function count_appointments() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op = 'INSERT' then
    insert into appointment_counts as counted (store_id, status, slot, count)
    select store_id, status, pg_backend_pid() % 32, count(*) from came group by 1, 2 order by 1, 2
    on conflict (store_id, status, slot) do update set count = counted.count + excluded.count;
  elsif tg_op = 'DELETE' then
    insert into appointment_counts as counted (store_id, status, slot, count)
    select store_id, status, pg_backend_pid() % 32, -count(*) from went group by 1, 2 order by 1, 2
    on conflict (store_id, status, slot) do update set count = counted.count + excluded.count;
  else
    insert into appointment_counts as counted (store_id, status, slot, count)
    select store_id, status, pg_backend_pid() % 32, sum(amount)
    from (
      select store_id, status, 1 as amount from came
      union all
      select store_id, status, -1 from went) as changed
    group by 1, 2 having sum(amount) <> 0 order by 1, 2
    on conflict (store_id, status, slot) do update set count = counted.count + excluded.count;
  end if;
  return null;
end $$;

-- From here on nobody writes until all are counted. The owner sees no rows while row-level security binds it.
lock table appointments in share row exclusive mode;
create trigger count_new after insert on appointments
  referencing new table as came for each statement execute function count_appointments();
create trigger count_changed after update on appointments
  referencing old table as went new table as came for each statement execute function count_appointments();
create trigger count_deleted after delete on appointments
  referencing old table as went for each statement execute function count_appointments();
alter table appointments no force row level security;
alter table appointment_counts no force row level security;
insert into appointment_counts (store_id, status, slot, count)
  select store_id, status, 0, count(*) from appointments group by 1, 2;
alter table appointments force row level security;
alter table appointment_counts force row level security;
