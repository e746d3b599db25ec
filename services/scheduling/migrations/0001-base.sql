-- Appointments and the calendars that show them, follow-ups, and the reports about both.

-- Row-level security of a table whose rows belong to stores: a request reads and writes only the rows of its store. It
-- binds the owner of the table, too. The end of this file drops the function.
create function keep_to_store(target regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security, force row level security', target);
  execute format('create policy store on %1$s to scheduling using (%2$s) with check (%2$s)', target,
    'store_id = (select nullif(current_setting(''mostrador.store_id'', true), '''')::uuid)');
end $$;

-- Settings -------------------------------------------------------------------------------------------------------------

-- What a store has set for its scheduling.
create table store_settings (
  store_id uuid primary key,
  -- `SendingWindows` of the contracts; an empty list: always open.
  sending_windows jsonb not null default '[]' check (jsonb_typeof(sending_windows) = 'array'),
  -- Whether the events of the store's calendar show the name and the phone of the lead.
  calendar_customer boolean not null default false
);
select keep_to_store('store_settings');
grant select, insert, update on store_settings to scheduling;

-- Appointments ---------------------------------------------------------------------------------------------------------

-- What a store's customers have agreed on.
create table appointments (
  store_id uuid not null,
  id uuid not null default uuidv7(),
  lead_id uuid,
  title text not null check (char_length(title) between 1 and 200),
  scheduled_at timestamptz(3) not null,
  duration_minutes integer not null check (duration_minutes between 1 and 1440),
  status text not null default 'scheduled' check (status in ('scheduled', 'done', 'cancelled', 'no_show')),
  notes text check (char_length(notes) between 1 and 5000),
  -- What the store's own systems know of an appointment.
  metadata jsonb not null default '{}',
  -- Raised by every change that the API's users make: the ETag, and the calendar event's SEQUENCE plus one.
  version integer not null default 1 check (version >= 1),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (store_id, id)
);
-- The list in its order, whole or filtered, and the feed.
create index appointments_by_time on appointments (store_id, scheduled_at, id);
create index appointments_by_status on appointments (store_id, status, scheduled_at, id);
create index appointments_by_lead on appointments (store_id, lead_id, scheduled_at, id) where lead_id is not null;
-- For the reports.
create index appointments_by_creation on appointments (store_id, created_at);
select keep_to_store('appointments');
grant select, insert, update on appointments to scheduling;
-- The sweep of calendar syncs names the lead to Temporal's search. Closing the reports counts.
create policy sweep_reads on appointments for select to scheduling_system using (true);
grant select (store_id, id, lead_id, created_at) on appointments to scheduling_system;

-- Calendars ------------------------------------------------------------------------------------------------------------

-- The calendar that a store has connected, and those it had. A new connection is a new row, also to the same calendar,
-- so that an answer that arrives late can only concern the connection it was asked of.
create table calendar_connections (
  store_id uuid not null,
  id uuid not null,
  provider text not null check (provider in ('feed', 'caldav', 'google')),
  settings jsonb not null default '{}',
  -- Encrypted, bound to this store and row; forgotten on disconnecting.
  sealed_credentials text,
  -- Which key of ENCRYPTION_KEYS sealed the credentials: `v1.<key id>.…`. A process is ready when its keys open them.
  credentials_key_id text generated always as (split_part(sealed_credentials, '.', 2)) virtual,
  -- SHA-256 of the token in a feed's address.
  feed_token_hash bytea unique,
  -- The token in the address of the store's feed, encrypted and bound to the store. It stays after a disconnect, so that
  -- the feed gets the same address when it is connected again. At most one row of a store has it.
  sealed_feed_token text,
  status text not null default 'connected' check (status in ('connected', 'needs_attention')),
  last_error_code text,
  last_error_detail text,
  -- When the calendar refused the connection; null: not known.
  refused_at timestamptz(3),
  connected_at timestamptz(3) not null default now(),
  disconnected_at timestamptz(3),
  primary key (store_id, id),
  check (disconnected_at is null or (sealed_credentials is null and feed_token_hash is null)),
  check (status = 'connected' or last_error_code is not null),
  check ((last_error_code is null) = (last_error_detail is null))
);
create unique index calendar_connections_live on calendar_connections (store_id) where disconnected_at is null;
select keep_to_store('calendar_connections');
grant select, insert, update on calendar_connections to scheduling;
-- A feed's address names no store: the token alone finds it.
create policy feed_lookup on calendar_connections for select to scheduling_system using (true);
grant select (store_id, feed_token_hash, disconnected_at, credentials_key_id) on calendar_connections to scheduling_system;

-- How far an appointment's event is in the connected calendar: one row per appointment that a connection concerns.
-- A row whose connection has ended counts for nothing.
create table calendar_syncs (
  store_id uuid not null,
  appointment_id uuid not null,
  connection_id uuid not null,
  -- `failed`: a person gave it up.
  state text not null check (state in ('pending', 'synced', 'needs_attention', 'failed')),
  -- The appointment's version that the calendar is to show, and the one it was last seen to take.
  desired_version integer not null,
  synced_version integer,
  synced_at timestamptz(3),
  -- Since when the calendar is not in step.
  requested_at timestamptz(3) not null default now(),
  event_id text,
  href text,
  etag text,
  -- Since the last change of the appointment; an attempt counts when it begins.
  attempts integer not null default 0,
  last_error_code text,
  last_error_detail text,
  -- To the microsecond, like the lease: rounded up, what is due now would not be due yet.
  next_attempt_at timestamptz,
  -- Why the provider is not called for a pending sync, and since when; null: it waits for nothing, or for something else.
  wait_reason text,
  wait_since timestamptz(3),
  -- The attempt that runs, and the time until which no other one may start.
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
select keep_to_store('calendar_syncs');
grant select, insert, update, delete on calendar_syncs to scheduling;
-- The sweep looks at every store.
create policy sweep_reads on calendar_syncs for select to scheduling_system using (true);
create policy sweep_marks on calendar_syncs for update to scheduling_system using (true);
grant select (store_id, appointment_id, state, next_attempt_at, woken_at), update (woken_at)
  on calendar_syncs to scheduling_system;

-- Providers that failed lately, by the origin of their API. All processes of the service share these rows. An origin
-- without a row answers.
create table provider_circuits (
  origin text primary key,
  -- outages in a row
  failures integer not null,
  -- no process calls the origin before this moment; null: the circuit is closed
  open_until timestamptz,
  -- the lease of the one call that probes after `open_until`
  probe_until timestamptz,
  -- when the circuit opened
  since timestamptz(3),
  updated_at timestamptz not null default clock_timestamp(),
  check ((open_until is null) = (since is null))
);
alter table provider_circuits enable row level security, force row level security;
create policy reading on provider_circuits for select to scheduling using (true);
create policy recording on provider_circuits to scheduling_system using (true) with check (true);
grant select on provider_circuits to scheduling;
grant select, insert, update, delete on provider_circuits to scheduling_system;

-- The latest restore of this database that was fenced: one row, or none.
create table restore_fence (
  one boolean primary key default true check (one),
  -- The moment to which the database was restored.
  since timestamptz(3) not null,
  -- It begins a new epoch of calendar events, because the rows count lost versions again.
  fenced_at timestamptz(3) not null default clock_timestamp()
);
alter table restore_fence enable row level security, force row level security;
create policy reading on restore_fence for select to scheduling using (true);
create policy fencing on restore_fence to scheduling_system using (true) with check (true);
grant select on restore_fence to scheduling;
grant select, insert, update on restore_fence to scheduling_system;

-- Follow-ups -----------------------------------------------------------------------------------------------------------

-- Messages that go out by themselves. `next_attempt_at` is when it will be looked at: it moves with sending windows and
-- failed attempts, and is null once the status is final. A row with a final status never changes again.
create table followups (
  store_id uuid not null,
  id uuid not null default uuidv7(),
  lead_id uuid not null,
  message text not null check (char_length(message) between 1 and 4096),
  template jsonb check (jsonb_typeof(template) = 'object'),
  -- What was asked for. Only a change by the API's users moves it.
  due_at timestamptz(3) not null,
  -- Raised by every change that the API's users make: the ETag.
  version integer not null default 1,
  -- To the microsecond, like the lease: rounded up, what is due now would not be due yet.
  next_attempt_at timestamptz,
  status text not null default 'pending' check (status in ('pending', 'sending', 'sent', 'failed', 'cancelled')),
  message_id uuid,
  error_code text,
  error_detail text,
  cancel_reason text
    check (cancel_reason in ('api', 'lead_replied', 'appointment_booked', 'opted_out', 'lead_deleted')),
  cancel_on_reply boolean not null,
  cancel_on_appointment boolean not null,
  -- An attempt counts when it begins; once messaging has the message, they count how often it was asked about.
  attempts integer not null default 0,
  -- From here on counts how long a store may be without a channel.
  first_attempt_at timestamptz(3),
  -- The attempt that runs, and the time until which no other one may start.
  lease_token uuid,
  lease_until timestamptz,
  -- When the sweep last woke the workflow.
  woken_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (store_id, id),
  check ((status in ('pending', 'sending')) = (next_attempt_at is not null)),
  check ((status = 'cancelled') = (cancel_reason is not null)),
  check (status <> 'sent' or message_id is not null),
  check (status <> 'failed' or error_code is not null),
  check (status = 'sending' or lease_token is null),
  check ((lease_token is null) = (lease_until is null)),
  check ((error_code is null) = (error_detail is null))
);
-- The list in its order, whole or filtered, what a lead's doings cancel, and the sweep.
create index followups_by_due on followups (store_id, due_at, id);
create index followups_by_status on followups (store_id, status, due_at, id);
create index followups_by_lead on followups (store_id, lead_id, due_at, id);
create index followups_overdue on followups (next_attempt_at) where status in ('pending', 'sending');
-- For the reports.
create index followups_by_creation on followups (store_id, created_at);
create index followups_by_settlement on followups (store_id, updated_at) where status in ('sent', 'failed', 'cancelled');
select keep_to_store('followups');
grant select, insert, update on followups to scheduling;
-- The sweep looks at every store, and names the lead to Temporal's search. Closing the reports counts.
create policy sweep_reads on followups for select to scheduling_system using (true);
create policy sweep_marks on followups for update to scheduling_system using (true);
grant select (store_id, id, lead_id, status, next_attempt_at, woken_at, created_at, updated_at), update (woken_at)
  on followups to scheduling_system;

-- Reports --------------------------------------------------------------------------------------------------------------

-- What happened, by lead: the report of one lead and that of the store count the same.
create view lead_report_facts with (security_invoker = true) as
  select store_id, lead_id,
    case when lead_id is null then 'appointments_without_lead' else 'appointments_with_lead' end as metric,
    created_at as at, 1::bigint as amount
  from appointments
union all
  select store_id, lead_id, 'followups_scheduled', created_at, 1
  from followups
union all
  select store_id, lead_id, 'followups_' || status, updated_at, 1
  from followups where status in ('sent', 'failed', 'cancelled');

create view report_facts with (security_invoker = true) as
  select store_id, '00000000-0000-0000-0000-000000000000'::uuid as subject, metric, at, amount from lead_report_facts;

-- Closing counts for every store, which the sweeps' policies let it see.
grant select on lead_report_facts, report_facts to scheduling, scheduling_system;

-- Running totals. A quarter-hour has a row only if something happened in it. Its counts are the totals from the
-- beginning of time to the end of that quarter, in the order of the service's list of metrics. The list only grows: a
-- missing element of a shorter array is zero.
create table report_quarters (
  store_id uuid not null,
  subject uuid not null,
  -- the start of the quarter-hour, in UTC
  quarter timestamptz not null,
  counts bigint[] not null,
  primary key (store_id, subject, quarter)
);
-- One row. Quarters before `closed_until` are closed and never change. Reports count the rest from the facts.
create table report_closing (
  one boolean primary key default true check (one),
  closed_until timestamptz not null check (extract(epoch from closed_until) % 900 = 0),
  -- raised by each reset: totals that were read before it may differ from totals read now
  generation integer not null default 1
);
insert into report_closing (closed_until) values ('1970-01-01T00:00:00Z');

alter table report_quarters enable row level security, force row level security;
create policy store on report_quarters to scheduling
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy closing on report_quarters to scheduling_system using (true) with check (true);
alter table report_closing enable row level security, force row level security;
create policy reading on report_closing for select to scheduling using (true);
create policy closing on report_closing to scheduling_system using (true) with check (true);
grant select on report_quarters, report_closing to scheduling;
grant select, insert, delete on report_quarters to scheduling_system;
grant select, update on report_closing to scheduling_system;

-- Totals of lists ------------------------------------------------------------------------------------------------------

-- How many rows the lists of a store have, by status and owner: docs/adr/0028.

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

select keep_to_store('list_totals');
create policy folding on list_totals to scheduling_system using (true) with check (true);
select keep_to_store('list_total_changes');
create policy folding on list_total_changes to scheduling_system using (true) with check (true);
-- What a foreign key changes is the owner's work, and so are its triggers.
create policy owner on list_total_changes for insert to scheduling_owner with check (true);
select keep_to_store('list_totals_built');
create policy verifying on list_totals_built for select to scheduling_system using (true);
grant select, insert, delete on list_totals, list_total_changes to scheduling;
grant select, insert on list_totals_built to scheduling;
grant select, insert, update on list_totals to scheduling_system;
grant select, insert, delete on list_total_changes to scheduling_system;
grant select on list_totals_built to scheduling_system;

-- The argument is the list.
create function count_rows() returns trigger
language plpgsql
set search_path = pg_catalog, scheduling, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    insert into list_total_changes (store_id, list, status, change)
    select store_id, tg_argv[0], status, count(*) from added group by store_id, status;
  elsif tg_op = 'DELETE' then
    insert into list_total_changes (store_id, list, status, change)
    select store_id, tg_argv[0], status, -count(*) from removed group by store_id, status;
  else
    insert into list_total_changes (store_id, list, status, change)
    values (old.store_id, tg_argv[0], old.status, -1), (new.store_id, tg_argv[0], new.status, 1);
  end if;
  return null;
end
$$;

revoke execute on function count_rows from public;
grant execute on function count_rows to scheduling;

-- An update that moves no row to another group fires no trigger.
create trigger count_added after insert on appointments referencing new table as added
  for each statement execute function count_rows('appointments');
create trigger count_removed after delete on appointments referencing old table as removed
  for each statement execute function count_rows('appointments');
create trigger count_moved after update on appointments for each row
  when (old.status is distinct from new.status) execute function count_rows('appointments');
create trigger count_added after insert on followups referencing new table as added
  for each statement execute function count_rows('followups');
create trigger count_removed after delete on followups referencing old table as removed
  for each statement execute function count_rows('followups');
create trigger count_moved after update on followups for each row
  when (old.status is distinct from new.status) execute function count_rows('followups');

-- The rows of each list, by what it filters. Totals are built from it.
create view list_rows with (security_invoker = true) as
  select store_id, 'appointments' as list, status, null::uuid as owner from appointments
union all
  select store_id, 'followups', status, null from followups;
grant select on list_rows to scheduling;

-- Tables of every service ----------------------------------------------------------------------------------------------

-- The outbox: the wake-ups and events of a transaction, which the relay delivers after its commit.
-- Rows live for milliseconds, so autovacuum starts early, by the number of dead rows whatever the table's size.
create table outbox (
  id uuid primary key default uuidv7(),
  store_id uuid not null,
  kind text not null check (kind in ('workflow', 'event')),
  -- workflow: the entity workflow's name; event: the event's type
  topic text not null,
  -- workflow
  entity_id uuid,
  lead_id uuid,
  signal text,
  -- event
  data jsonb,
  created_at timestamptz(3) not null default now(),
  attempts integer not null default 0,
  -- when the relay may claim the row: a claim moves it to the end of the lease, a failure to the next attempt
  -- (in microseconds: rounded up to milliseconds, a new row would not be due yet)
  next_attempt_at timestamptz not null default now(),
  last_error text,
  check (case kind when 'workflow' then entity_id is not null and signal is not null else data is not null end)
) with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 5000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0
);
create index outbox_due on outbox (kind, next_attempt_at);

select keep_to_store('outbox');
create policy relay on outbox to scheduling_system using (true) with check (true);
grant insert, select on outbox to scheduling;
grant select, insert, update, delete on outbox to scheduling_system;

-- Stored answers by Idempotency-Key. The transaction that does the work writes its answer here.
create table idempotency_records (
  store_id uuid not null,
  -- method and concrete path: `POST /appointments`
  scope text not null,
  key text not null,
  -- SHA-256 in hex of the request's canonical body
  fingerprint text not null,
  -- the reply's bytes as they were sent
  reply bytea not null,
  etag text,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null default now() + interval '24 hours',
  primary key (store_id, scope, key)
) with (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 500
);
create index idempotency_records_expiry on idempotency_records (expires_at);

select keep_to_store('idempotency_records');
create policy purge on idempotency_records to scheduling_system using (true);
grant select, insert, update on idempotency_records to scheduling;
grant select, delete on idempotency_records to scheduling_system;

-- Events for the public feed, which the relay sends to the events service in the order of their positions.
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

select keep_to_store('feed_entries');
create policy relay on feed_entries to scheduling_system using (true) with check (true);
grant insert, select on feed_entries to scheduling;
grant select, update, delete on feed_entries to scheduling_system;

drop function keep_to_store(regclass);
