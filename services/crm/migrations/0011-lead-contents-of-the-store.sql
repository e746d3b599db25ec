-- What the store's own systems know of a lead.
alter table leads
  add column external_id text,
  add column email text,
  -- `email` in lower case. Row-level security lets only a plain comparison use an index.
  add column email_key text,
  add column tags text[] not null default '{}',
  add column metadata jsonb not null default '{}';

-- The leads of each tag, for the filter: row-level security lets no operator on arrays use an index.
create table lead_tags (
  store_id uuid not null,
  tag text not null,
  lead_id uuid not null,
  primary key (store_id, tag, lead_id),
  foreign key (store_id, lead_id) references leads (store_id, id) on delete cascade
);
create index lead_tags_by_lead on lead_tags (store_id, lead_id);

alter table lead_tags enable row level security;
alter table lead_tags force row level security;
create policy store on lead_tags to crm
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, delete on lead_tags to crm;
