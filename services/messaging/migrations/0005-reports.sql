-- What the reports count of conversations, and its rollups.

-- When it was recorded by this server's clock, which decides the day that it counts for: `sent_at` and `ended_at` are when
-- it happened, as the channel says, or before the job came round.
alter table messages
  -- that the channel took it
  add column counted_at timestamptz(3),
  -- that it failed; it stays when the message turns out to have arrived
  add column failed_at timestamptz(3),
  add constraint messages_recorded check (direction = 'outbound' or (counted_at is null and failed_at is null));
alter table sessions
  add column opened_by_lead boolean not null default false,
  -- `counted_at` of the first message to a lead that opened the session
  add column first_response_at timestamptz(3),
  add column end_recorded_at timestamptz(3),
  add constraint sessions_response check (first_response_at >= started_at);

-- From before: when it happened is the best that can be known. The owner sees no rows while row-level security binds it.
alter table messages no force row level security;
alter table sessions no force row level security;
update messages set
    counted_at = sent_at,
    failed_at = case when status = 'failed' then coalesce(sent_at, created_at) end
  where direction = 'outbound' and (sent_at is not null or status = 'failed');
update sessions as session set
    end_recorded_at = ended_at,
    opened_by_lead = known.direction = 'inbound',
    first_response_at = case
      when known.direction = 'inbound' and known.responded_at is not null then greatest(known.responded_at, started_at)
    end
  from (
    select distinct on (store_id, session_id) store_id, session_id, direction,
      min(counted_at) over (partition by store_id, session_id) as responded_at
    from messages order by store_id, session_id, number) as known
  where session.store_id = known.store_id and session.id = known.session_id;
alter table messages force row level security;
alter table sessions force row level security;

create index messages_inbound_by_moment on messages (store_id, created_at) where direction = 'inbound';
create index messages_counted_by_moment on messages (store_id, counted_at) where counted_at is not null;
create index messages_failed_by_moment on messages (store_id, failed_at) where failed_at is not null;
create index sessions_by_start on sessions (store_id, started_at);
create index sessions_by_end on sessions (store_id, end_recorded_at) where end_recorded_at is not null;
create index sessions_by_response on sessions (store_id, first_response_at) where first_response_at is not null;

-- What happened, by lead: the report of one lead and that of the store count the same. `response_le_<n>`: the first
-- response took no longer than limit `n` of firstResponseBucketSeconds, and longer than the one before.
create view lead_report_facts with (security_invoker = true) as
  select store_id, lead_id, 'sessions_started' as metric, started_at as at, 1::bigint as amount
  from sessions
union all
  select store_id, lead_id, 'sessions_ended', end_recorded_at, 1
  from sessions where end_recorded_at is not null
union all
  select store_id, lead_id, 'messages_inbound', created_at, 1
  from messages where direction = 'inbound'
union all
  select store_id, lead_id, 'outbound_' || source, counted_at, 1
  from messages where counted_at is not null
union all
  select store_id, lead_id, 'messages_failed', failed_at, 1
  from messages where failed_at is not null
union all
  select store_id, lead_id, 'response_ms', first_response_at,
    (extract(epoch from first_response_at - started_at) * 1000)::bigint
  from sessions where first_response_at is not null
union all
  select store_id, lead_id, 'response_le_' || width_bucket(
    (extract(epoch from first_response_at - started_at) * 1000)::bigint - 1,
    array[
      1000, 2000, 3000, 5000, 7000, 10000, 15000, 20000, 30000, 45000, 60000, 90000, 120000, 180000, 300000, 450000,
      600000, 900000, 1200000, 1800000, 2700000, 3600000, 5400000, 7200000, 10800000, 14400000, 21600000, 43200000,
      86400000, 172800000, 604800000]::bigint[]), first_response_at, 1
  from sessions where first_response_at is not null;

create view report_facts with (security_invoker = true) as
  select store_id, '00000000-0000-0000-0000-000000000000'::uuid as subject, metric, at, amount from lead_report_facts;

-- Closing counts for every store, which the sweeps' policies let it see.
grant select on lead_report_facts, report_facts to messaging, messaging_system;
grant select (counted_at, failed_at) on messages to messaging_system;
grant select (started_at, end_recorded_at, first_response_at) on sessions to messaging_system;

-- Running totals. A row only for a quarter-hour in which something happened; its counts are the totals, from the
-- beginning of time, of everything up to the end of that quarter, in the order of the service's list of metrics. That
-- list only grows: what a shorter array does not have is zero.
create table report_quarters (
  store_id uuid not null,
  subject uuid not null,
  -- when it begins, in UTC
  quarter timestamptz not null,
  counts bigint[] not null,
  primary key (store_id, subject, quarter)
);
-- One row: quarters that begin before this moment are closed, and never change. The rest is counted from the facts.
create table report_closing (
  one boolean primary key default true check (one),
  closed_until timestamptz not null check (extract(epoch from closed_until) % 900 = 0)
);
insert into report_closing (closed_until) values ('1970-01-01T00:00:00Z');

alter table report_quarters enable row level security;
alter table report_quarters force row level security;
create policy store on report_quarters to messaging
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy closing on report_quarters to messaging_system using (true) with check (true);
alter table report_closing enable row level security;
alter table report_closing force row level security;
create policy reading on report_closing for select to messaging using (true);
create policy closing on report_closing to messaging_system using (true) with check (true);
grant select on report_quarters, report_closing to messaging;
grant select, insert, delete on report_quarters to messaging_system;
grant select, update on report_closing to messaging_system;
