-- The store's calendar is read, too: which events of appointments people moved or deleted there, and which other times are
-- busy. The previous version connects calendars without a watch: the purge of this version adds what is missing.
alter table calendar_syncs
  -- The event is written even when its mark says that it is current, because a person's change of it was refused.
  add column write_back boolean not null default false;

-- One row for each connection that can be read.
create table calendar_watches (
  store_id uuid not null,
  connection_id uuid not null,
  -- What the calendar gave, to ask for the changes since then. Null: all is read.
  cursor text,
  -- When the next step is due. To the microsecond, like the lease.
  wake_at timestamptz not null default now(),
  -- Failures in a row.
  attempts integer not null default 0,
  last_error_code text,
  last_error_detail text,
  -- When the calendar was last asked for changes, and when it last had some.
  listed_at timestamptz,
  changed_at timestamptz(3) not null default now(),
  -- When objects whose times depend on the day were last read again.
  renewed_at timestamptz(3) not null default now(),
  -- The attempt that runs, and the time until which no other one may start.
  lease_token uuid,
  lease_until timestamptz,
  -- When the sweep last woke the workflow.
  woken_at timestamptz(3),
  primary key (store_id, connection_id),
  foreign key (store_id, connection_id) references calendar_connections (store_id, id),
  check ((lease_token is null) = (lease_until is null)),
  check ((last_error_code is null) = (last_error_detail is null))
);
create index calendar_watches_overdue on calendar_watches (wake_at);

-- What a calendar holds: addresses and versions, no titles and no people.
create table calendar_objects (
  store_id uuid not null,
  connection_id uuid not null,
  href text not null,
  etag text,
  -- The appointment whose event it is.
  appointment_id uuid,
  -- It has changed, or has gone, since it was last read.
  is_pending boolean not null default true,
  -- When it was last read in vain.
  asked_at timestamptz not null default '-infinity',
  -- Its busy times depend on the day when it is read, or on the zone of the store.
  follows_clock boolean not null default false,
  -- Nothing of it is later. Null: not known, or without an end.
  ends_at timestamptz,
  primary key (store_id, connection_id, href),
  foreign key (store_id, connection_id) references calendar_watches (store_id, connection_id) on delete cascade
);
create index calendar_objects_pending on calendar_objects (store_id, connection_id, asked_at) where is_pending;

-- When the calendar is busy with what is no appointment.
create table calendar_busy_times (
  store_id uuid not null,
  connection_id uuid not null,
  href text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  foreign key (store_id, connection_id, href) references calendar_objects (store_id, connection_id, href) on delete cascade,
  check (ends_at > starts_at)
);
create index calendar_busy_times_by_object on calendar_busy_times (store_id, connection_id, href);
create index calendar_busy_times_by_time on calendar_busy_times using gist (store_id, tstzrange(starts_at, ends_at));

do $$
declare
  target text;
begin
  foreach target in array array['calendar_watches', 'calendar_objects', 'calendar_busy_times'] loop
    execute format('alter table %s enable row level security, force row level security', target);
    execute format('create policy store on %1$s to scheduling using (%2$s) with check (%2$s)', target,
      'store_id = (select nullif(current_setting(''mostrador.store_id'', true), '''')::uuid)');
    execute format('grant select, insert, update, delete on %s to scheduling', target);
  end loop;
end $$;
-- The sweep looks at every store, and the purge adds the watches of connections that have none.
create policy sweep_reads on calendar_watches for select to scheduling_system using (true);
create policy sweep_marks on calendar_watches for update to scheduling_system using (true);
create policy sweep_adds on calendar_watches for insert to scheduling_system with check (true);
grant select (store_id, connection_id, wake_at, woken_at), update (woken_at), insert (store_id, connection_id)
  on calendar_watches to scheduling_system;
grant select (id, provider) on calendar_connections to scheduling_system;
