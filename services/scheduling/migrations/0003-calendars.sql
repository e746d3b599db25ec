-- The calendar that a store has connected, and those it had. A new connection is a new row, also to the same calendar,
-- so that an answer that arrives late can only concern the connection it was asked of.
create table calendar_connections (
  store_id uuid not null,
  id uuid not null,
  provider text not null check (provider in ('feed', 'caldav')),
  settings jsonb not null default '{}',
  -- Encrypted, bound to this store and row; forgotten on disconnecting.
  sealed_credentials text,
  -- SHA-256 of the token in a feed's address.
  feed_token_hash bytea unique,
  status text not null default 'connected' check (status in ('connected', 'needs_attention')),
  last_error_code text,
  last_error_detail text,
  connected_at timestamptz(3) not null default now(),
  disconnected_at timestamptz(3),
  primary key (store_id, id),
  check (disconnected_at is null or (sealed_credentials is null and feed_token_hash is null)),
  check (status = 'connected' or last_error_code is not null),
  check ((last_error_code is null) = (last_error_detail is null))
);
create unique index calendar_connections_live on calendar_connections (store_id) where disconnected_at is null;

alter table calendar_connections enable row level security;
alter table calendar_connections force row level security;
create policy store on calendar_connections to scheduling
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update on calendar_connections to scheduling;

-- A feed's address names no store: the token alone finds it.
create policy feed_lookup on calendar_connections for select to scheduling_system using (true);
grant select (store_id, feed_token_hash) on calendar_connections to scheduling_system;

-- How far an appointment's event is in the connected calendar: one row per appointment that a connection concerns.
-- A row whose connection has ended counts for nothing.
create table calendar_syncs (
  store_id uuid not null,
  appointment_id uuid not null,
  connection_id uuid not null,
  state text not null check (state in ('pending', 'synced', 'needs_attention')),
  -- The appointment's version that the calendar is to show, and the one it was last seen to take.
  desired_version integer not null,
  synced_version integer,
  synced_at timestamptz(3),
  event_id text,
  href text,
  etag text,
  -- Since the last change of the appointment; an attempt counts when it begins.
  attempts integer not null default 0,
  last_error_code text,
  last_error_detail text,
  -- To the microsecond, like the lease: rounded up, what is due now would not be due yet.
  next_attempt_at timestamptz,
  -- The attempt that runs, until when nobody else may start one.
  lease_token uuid,
  lease_until timestamptz,
  -- When the sweep last woke the workflow.
  woken_at timestamptz(3),
  primary key (store_id, appointment_id),
  foreign key (store_id, appointment_id) references appointments (store_id, id),
  foreign key (store_id, connection_id) references calendar_connections (store_id, id),
  check ((state = 'pending') = (next_attempt_at is not null)),
  check ((lease_token is null) = (lease_until is null)),
  check ((last_error_code is null) = (last_error_detail is null))
);
create index calendar_syncs_overdue on calendar_syncs (next_attempt_at) where state = 'pending';
create index calendar_syncs_unsettled on calendar_syncs (store_id, connection_id, state) where state <> 'synced';

alter table calendar_syncs enable row level security;
alter table calendar_syncs force row level security;
create policy store on calendar_syncs to scheduling
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update, delete on calendar_syncs to scheduling;

-- The sweep looks at every store.
create policy sweep_reads on calendar_syncs for select to scheduling_system using (true);
create policy sweep_marks on calendar_syncs for update to scheduling_system using (true);
grant select (store_id, appointment_id, state, next_attempt_at, woken_at) on calendar_syncs to scheduling_system;
grant update (woken_at) on calendar_syncs to scheduling_system;
