-- Sellers and leads of each store.

create table sellers (
  id uuid primary key default uuidv7(),
  store_id uuid not null,
  name text not null check (char_length(name) between 1 and 200),
  whatsapp_id text not null check (whatsapp_id ~ '^[1-9][0-9]{7,14}$'),
  is_active boolean not null default true,
  -- Raised by every change that the API's users make: the ETag.
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (store_id, id)
);

create table leads (
  id uuid primary key default uuidv7(),
  store_id uuid not null,
  name text not null check (char_length(name) between 1 and 200),
  customer_phone text not null check (customer_phone ~ '^[1-9][0-9]{7,14}$'),
  status text not null default 'pending' check (status in ('pending', 'in_progress', 'converted', 'lost')),
  seller_id uuid,
  interaction_count integer not null default 0 check (interaction_count >= 0),
  ai_paused_until timestamptz(3),
  -- Raised by every change that the API's users make, so not by interaction_count: the ETag.
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (store_id, id),
  constraint leads_phone unique (store_id, customer_phone),
  -- A lead whose seller was deleted has none; the store is part of the key, so a seller of another store cannot be meant.
  constraint leads_seller foreign key (store_id, seller_id)
    references sellers (store_id, id) on delete set null (seller_id)
);
-- For the deletion of a seller, and for the leads of one.
create index leads_by_seller on leads (store_id, seller_id) where seller_id is not null;

alter table sellers enable row level security;
alter table sellers force row level security;
create policy store on sellers to crm
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
alter table leads enable row level security;
alter table leads force row level security;
create policy store on leads to crm
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update, delete on sellers, leads to crm;
