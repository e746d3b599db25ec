-- What a store's customers have agreed on. `version` is raised by every change that the API's users make:
-- it is the ETag, and the calendar event's SEQUENCE plus one.
create table appointments (
  store_id uuid not null,
  id uuid not null default uuidv7(),
  lead_id uuid,
  title text not null check (char_length(title) between 1 and 200),
  scheduled_at timestamptz(3) not null,
  duration_minutes integer not null check (duration_minutes between 1 and 1440),
  status text not null default 'scheduled' check (status in ('scheduled', 'done', 'cancelled', 'no_show')),
  notes text check (char_length(notes) between 1 and 5000),
  version integer not null default 1 check (version >= 1),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (store_id, id)
);

-- The list in its order, whole or filtered, and the feed.
create index appointments_by_time on appointments (store_id, scheduled_at, id);
create index appointments_by_status on appointments (store_id, status, scheduled_at, id);
create index appointments_by_lead on appointments (store_id, lead_id, scheduled_at, id) where lead_id is not null;

alter table appointments enable row level security;
alter table appointments force row level security;
create policy store on appointments to scheduling
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update on appointments to scheduling;

-- The sweep of calendar syncs names the lead to Temporal's search.
create policy sweep_reads on appointments for select to scheduling_system using (true);
grant select (store_id, id, lead_id) on appointments to scheduling_system;
