-- The rollups of the reports. A service's migration holds a copy, with `service` replaced by its name. Before it, the
-- migration defines the service's own view, from which the rollups are counted:
--   report_facts (store_id uuid, subject uuid, metric text, at timestamptz, amount bigint)
--     `subject` is what the fact is about within the store; the zero UUID is the store itself. `at` is a moment by this
--     server's clock inside the transaction that recorded the fact. `at` and `amount` never change.

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

alter table report_quarters enable row level security;
alter table report_quarters force row level security;
create policy store on report_quarters to service
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy closing on report_quarters to service_system using (true) with check (true);
alter table report_closing enable row level security;
alter table report_closing force row level security;
create policy reading on report_closing for select to service using (true);
create policy closing on report_closing to service_system using (true) with check (true);
grant select on report_quarters, report_closing to service;
grant select, insert, delete on report_quarters to service_system;
grant select, update on report_closing to service_system;
