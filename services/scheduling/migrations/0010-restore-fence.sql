-- The latest restore of this database that was fenced: one row, or none.
create table restore_fence (
  one boolean primary key default true check (one),
  -- The moment to which the database was restored.
  since timestamptz(3) not null,
  -- It begins a new epoch of calendar events, because the rows count lost versions again.
  fenced_at timestamptz(3) not null default clock_timestamp()
);
alter table restore_fence enable row level security;
alter table restore_fence force row level security;
create policy reading on restore_fence for select to scheduling using (true);
create policy fencing on restore_fence to scheduling_system using (true) with check (true);
grant select on restore_fence to scheduling;
grant select, insert, update on restore_fence to scheduling_system;
