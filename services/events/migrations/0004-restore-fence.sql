-- The latest restore of this database after which the feeds restarted: one row, or none.
create table restore_fence (
  one boolean primary key default true check (one),
  -- The moment to which the database was restored.
  since timestamptz(3) not null,
  -- The numbers of every feed go on after it, also of a feed that is made later. It is added to the versions of entities,
  -- because a restore takes the positions of feed entries back, too.
  base bigint not null check (base > 0)
);
alter table restore_fence enable row level security;
alter table restore_fence force row level security;
create policy reading on restore_fence for select to events using (true);
create policy fencing on restore_fence to events_system using (true) with check (true);
grant select on restore_fence to events;
grant select, insert, update on restore_fence to events_system;

-- A fence moves the endpoints that wait for the next event.
grant update (planned_through) on webhook_endpoints to events_system;
