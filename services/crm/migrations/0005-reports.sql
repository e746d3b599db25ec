-- What the reports count of leads, and its rollups.

-- Whose lead it was at the change, and when the lead had changed into the same status before: a lead that does so twice
-- in a period counts once.
alter table lead_status_changes
  add column seller_id uuid,
  add column previous_at timestamptz(3);

-- Every seller that a lead has had, in the way of its statuses: written by the statement that writes the lead. Sellers
-- that were deleted stay.
create table lead_seller_changes (
  store_id uuid not null,
  lead_id uuid not null,
  -- of the lead, once it was changed
  version integer not null,
  -- null: the lead was created, or had none
  from_seller uuid,
  -- null: it has none any more
  to_seller uuid,
  changed_at timestamptz(3) not null,
  primary key (store_id, lead_id, version),
  foreign key (store_id, lead_id) references leads (store_id, id) on delete cascade,
  check (from_seller is distinct from to_seller)
);

-- Leads from before: that their seller has always been the one they have now is the best that can be known. The owner
-- sees no rows while row-level security binds it.
alter table leads no force row level security;
alter table lead_status_changes no force row level security;
insert into lead_seller_changes (store_id, lead_id, version, to_seller, changed_at)
  select store_id, id, 1, seller_id, created_at from leads where seller_id is not null;
update lead_status_changes as change
  set seller_id = known.seller_id, previous_at = known.previous_at
  from (
    select history.store_id, lead_id, history.version, leads.seller_id,
      lag(changed_at) over (partition by history.store_id, lead_id, to_status order by history.version) as previous_at
    from lead_status_changes as history join leads on leads.store_id = history.store_id and leads.id = lead_id) as known
  where change.store_id = known.store_id and change.lead_id = known.lead_id and change.version = known.version
    and (known.seller_id is not null or known.previous_at is not null);
alter table leads force row level security;
alter table lead_status_changes force row level security;

create index lead_status_changes_by_moment on lead_status_changes (store_id, changed_at);
create index lead_status_changes_again on lead_status_changes (store_id, changed_at) where previous_at is not null;
create index lead_seller_changes_by_moment on lead_seller_changes (store_id, changed_at);

alter table lead_seller_changes enable row level security;
alter table lead_seller_changes force row level security;
create policy store on lead_seller_changes to crm
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert on lead_seller_changes to crm;

-- What happened: to the store, or to a seller. How many leads are in a status, or are a seller's, is what came less
-- what went.
create view report_facts with (security_invoker = true) as
  select store_id, '00000000-0000-0000-0000-000000000000'::uuid as subject, 'created' as metric, changed_at as at,
    1::bigint as amount
  from lead_status_changes where from_status is null
union all
  select store_id, '00000000-0000-0000-0000-000000000000', 'status_' || to_status, changed_at, 1
  from lead_status_changes
union all
  select store_id, '00000000-0000-0000-0000-000000000000', 'status_' || from_status, changed_at, -1
  from lead_status_changes where from_status is not null
union all
  select store_id, '00000000-0000-0000-0000-000000000000', to_status, changed_at, 1
  from lead_status_changes where to_status in ('converted', 'lost')
union all
  select store_id, seller_id, 'converted', changed_at, 1
  from lead_status_changes where to_status = 'converted' and seller_id is not null
union all
  select store_id, to_seller, 'assigned', changed_at, 1 from lead_seller_changes where to_seller is not null
union all
  select store_id, from_seller, 'assigned', changed_at, -1 from lead_seller_changes where from_seller is not null;

create policy closing on lead_status_changes for select to crm_system using (true);
create policy closing on lead_seller_changes for select to crm_system using (true);
grant select on report_facts to crm, crm_system;
grant select (store_id, seller_id, from_status, to_status, changed_at) on lead_status_changes to crm_system;
grant select (store_id, from_seller, to_seller, changed_at) on lead_seller_changes to crm_system;


-- Running totals. A row only for a quarter-hour in which something happened; its counts are the totals, from the
-- beginning of time, of everything up to the end of that quarter, in the order of the service’s list of metrics. That
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
create policy store on report_quarters to crm
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy closing on report_quarters to crm_system using (true) with check (true);
alter table report_closing enable row level security;
alter table report_closing force row level security;
create policy reading on report_closing for select to crm using (true);
create policy closing on report_closing to crm_system using (true) with check (true);
grant select on report_quarters, report_closing to crm;
grant select, insert, delete on report_quarters to crm_system;
grant select, update on report_closing to crm_system;
