-- Stores and their API keys. The gateway owns both; every other service knows a store by its id alone.

create table stores (
  id uuid primary key default uuidv7(),
  name text not null check (char_length(name) between 1 and 200),
  tier text not null check (tier in ('free', 'starter', 'pro', 'enterprise')),
  timezone text not null check (char_length(timezone) between 1 and 100),
  locale text not null check (char_length(locale) between 1 and 35),
  -- Requests a minute for each key; null: the rate of the tier.
  rate_limit integer check (rate_limit between 1 and 10000000),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create index stores_by_name on stores (name, id);
-- For the poll for changes.
create index stores_by_change on stores (updated_at);

create table api_keys (
  -- The part of the key between the underscores: not secret.
  id text primary key check (id ~ '^[A-Za-z0-9]{8,40}$'),
  store_id uuid not null references stores (id),
  name text not null check (char_length(name) between 1 and 200),
  -- SHA-256 of the whole key; the key itself is stored nowhere.
  key_hash bytea not null check (octet_length(key_hash) = 32),
  scopes text[] not null check (cardinality(scopes) >= 1),
  created_at timestamptz(3) not null default now(),
  -- Moves with whatever decides about access, so not with last_used_at.
  updated_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3)
) with (fillfactor = 90);

create index api_keys_of_store on api_keys (store_id, created_at desc);
create index api_keys_by_change on api_keys (updated_at);

alter table stores enable row level security;
alter table stores force row level security;
create policy store on stores to gateway
  using (id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy system on stores for select to gateway_system using (true);

alter table api_keys enable row level security;
alter table api_keys force row level security;
create policy store on api_keys to gateway
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
-- A key is looked up before its store is known.
create policy system on api_keys for select to gateway_system using (true);
create policy system_use on api_keys for update to gateway_system using (true) with check (true);

grant select, insert, update on stores, api_keys to gateway;
grant select on stores, api_keys to gateway_system;
grant update (last_used_at) on api_keys to gateway_system;
