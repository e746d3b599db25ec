-- Leads that were merged into another lead of the same person.
create table merged_leads (
  store_id uuid not null,
  id uuid not null,
  -- the lead that stays; a later merge of that one moves this
  merged_into uuid not null,
  merged_at timestamptz(3) not null,
  -- null: messaging or scheduling may still have rows of the merged lead
  finished_at timestamptz(3),
  -- the row of `leads` as it was, so that nothing is lost
  lead jsonb not null,
  primary key (store_id, id),
  foreign key (store_id, merged_into) references leads (store_id, id)
);
create index merged_leads_by_lead on merged_leads (store_id, merged_into);
create index merged_leads_unfinished on merged_leads (store_id, merged_at) where finished_at is null;

alter table merged_leads enable row level security;
alter table merged_leads force row level security;
create policy store on merged_leads to crm
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update on merged_leads to crm;

-- The histories stay when a lead leaves the table, because the reports count them.
alter table lead_status_changes drop constraint lead_status_changes_store_id_lead_id_fkey;
alter table lead_seller_changes drop constraint lead_seller_changes_store_id_lead_id_fkey;
-- null: the lead was merged into another one. The previous version reads a history only for a lead that it finds, and
-- for the reports through the view below.
-- squawk-ignore ban-drop-not-null
alter table lead_status_changes alter column to_status drop not null;

-- As before, but a change without a status is no fact.
create or replace view report_facts with (security_invoker = true) as
  select store_id, '00000000-0000-0000-0000-000000000000'::uuid as subject, 'created' as metric, changed_at as at,
    1::bigint as amount
  from lead_status_changes where from_status is null
union all
  select store_id, '00000000-0000-0000-0000-000000000000', 'status_' || to_status, changed_at, 1
  from lead_status_changes where to_status is not null
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
