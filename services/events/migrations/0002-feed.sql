-- The event feed of each store.

-- The counter of a feed. Its row is locked while events are appended, so the events of a store commit in the order of
-- their numbers, and the numbers have no gaps.
create table feeds (
  store_id uuid primary key,
  last_sequence bigint not null default 0,
  -- the first event that is kept; after an empty feed the next one
  oldest_sequence bigint not null default 1,
  last_appended_at timestamptz(3) not null,
  constraint feeds_range check (oldest_sequence between 1 and last_sequence + 1)
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_threshold = 500
);

-- One partition holds the events that were appended on one day in UTC. `appended_at` never falls within a feed, so the
-- oldest partition holds the beginning of every feed. There is no default partition: attaching the next day would lock
-- and scan it.
create table events (
  store_id uuid not null,
  sequence bigint not null,
  id uuid not null,
  type text not null,
  entity_type text not null,
  entity_id uuid not null,
  entity_version bigint not null,
  data jsonb not null,
  created_at timestamptz(3) not null,
  appended_at timestamptz(3) not null,
  primary key (store_id, sequence, appended_at)
) partition by range (appended_at);
create index events_by_id on events (id);

alter table feeds enable row level security;
alter table feeds force row level security;
create policy store on feeds for select to events
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy append on feeds to events_system using (true) with check (true);
alter table events enable row level security;
alter table events force row level security;
create policy store on events for select to events
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy append on events to events_system using (true) with check (true);
grant select on feeds, events to events;
grant select, insert, update on feeds to events_system;
grant select, insert on events to events_system;

-- The roles of the service create and drop nothing, so these functions run as the owner of the tables.

-- Makes the partition of a day. It is attached and not created in its place, because that would lock out every reader
-- and writer; attaching an empty table locks out no request.
create function make_event_partition(day date) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, events, pg_temp
as $$
declare
  partition text := format('events_%s', to_char(day, 'YYYYMMDD'));
begin
  perform pg_advisory_xact_lock(hashtext('mostrador event partitions'));
  if to_regclass(format('events.%I', partition)) is not null then
    return;
  end if;
  execute format('create table events.%I (like events.events including all)', partition);
  execute format('alter table events.%I enable row level security', partition);
  execute format('alter table events.%I force row level security', partition);
  execute format(
    'alter table events.events attach partition events.%I for values from (%L) to (%L)',
    partition, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
end
$$;

-- Drops the partition of a day. That locks out readers and writers for a moment. While the lock is awaited they queue
-- behind it, so the wait is short: the job tries again later.
create function drop_event_partition(day date) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, events, pg_temp
set lock_timeout = '250ms'
as $$
begin
  execute format('drop table if exists events.%I', format('events_%s', to_char(day, 'YYYYMMDD')));
end
$$;

revoke execute on function make_event_partition, drop_event_partition from public;
grant execute on function make_event_partition, drop_event_partition to events_system;
