-- What the lists of leads and sellers need, and the history of each lead's status.

-- Every statement names the store, so an id alone is never looked up: one index does.
alter table leads drop constraint leads_pkey, drop constraint leads_store_id_id_key, add primary key (store_id, id);

-- Lists sorted by updated_at rest on it being read from the clock inside the transaction, not from its beginning:
-- docs/adr/0010.
alter table leads alter column updated_at set default clock_timestamp();

-- Each filter in each order, read forwards or backwards, so that a page costs the same at any size and depth. A phone
-- is one lead, and has its unique index. "No seller" needs indexes of its own: the planner does not know that rows
-- found by `is null` are all alike, and would sort them.
create index leads_by_creation on leads (store_id, created_at, id);
create index leads_by_change on leads (store_id, updated_at, id);
create index leads_by_status_and_creation on leads (store_id, status, created_at, id);
create index leads_by_status_and_change on leads (store_id, status, updated_at, id);
create index leads_by_seller_and_creation on leads (store_id, seller_id, created_at, id) where seller_id is not null;
create index leads_by_seller_and_change on leads (store_id, seller_id, updated_at, id) where seller_id is not null;
create index leads_unassigned_by_creation on leads (store_id, created_at, id) where seller_id is null;
create index leads_unassigned_by_change on leads (store_id, updated_at, id) where seller_id is null;
drop index leads_by_seller;

create index sellers_by_creation on sellers (store_id, created_at, id);

-- Every status that a lead has had, from the one it was created with. Written by the statement that writes the lead.
create table lead_status_changes (
  store_id uuid not null,
  lead_id uuid not null,
  -- of the lead, once it was changed: the order of a lead's changes
  version integer not null,
  -- null: the lead was created
  from_status text check (from_status in ('pending', 'in_progress', 'converted', 'lost')),
  to_status text not null check (to_status in ('pending', 'in_progress', 'converted', 'lost')),
  changed_at timestamptz(3) not null,
  primary key (store_id, lead_id, version),
  foreign key (store_id, lead_id) references leads (store_id, id) on delete cascade,
  check (from_status <> to_status)
);

-- Leads from before: their history begins with the status that they have. The owner sees no rows while row-level
-- security binds it.
alter table leads no force row level security;
insert into lead_status_changes (store_id, lead_id, version, to_status, changed_at)
  select store_id, id, version, status, created_at from leads;
alter table leads force row level security;

alter table lead_status_changes enable row level security;
alter table lead_status_changes force row level security;
create policy store on lead_status_changes to crm
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert on lead_status_changes to crm;
