-- What the reports count of appointments and follow-ups, and its rollups. Its moments are there already: `created_at`,
-- and the `updated_at` of a follow-up whose status is final, whose row is never changed again.
create index appointments_by_creation on appointments (store_id, created_at);
create index followups_by_creation on followups (store_id, created_at);
create index followups_by_settlement on followups (store_id, updated_at) where status in ('sent', 'failed', 'cancelled');

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
grant select (created_at) on appointments to scheduling_system;
grant select (created_at, updated_at) on followups to scheduling_system;

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
create policy store on report_quarters to scheduling
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy closing on report_quarters to scheduling_system using (true) with check (true);
alter table report_closing enable row level security;
alter table report_closing force row level security;
create policy reading on report_closing for select to scheduling using (true);
create policy closing on report_closing to scheduling_system using (true) with check (true);
grant select on report_quarters, report_closing to scheduling;
grant select, insert, delete on report_quarters to scheduling_system;
grant select, update on report_closing to scheduling_system;
