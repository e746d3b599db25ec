-- A store can connect several providers of models, each with an address, a model and a key.
create table provider_connections (
  store_id uuid not null,
  id uuid not null default uuidv7(),
  provider text not null check (provider in ('demo', 'openai', 'gemini', 'openai_compatible')),
  -- Null: the public address of the provider.
  url text,
  model text,
  -- Encrypted, bound to this store and row. Null: the provider needs no key.
  sealed_credentials text,
  -- Which key of ENCRYPTION_KEYS sealed the credentials: `v1.<key id>.…`. A process is ready when its keys open them.
  credentials_key_id text generated always as (split_part(sealed_credentials, '.', 2)) virtual,
  -- The latest one is the default of the store. To the microsecond, so that two have an order.
  connected_at timestamptz not null default clock_timestamp(),
  primary key (store_id, id),
  unique (store_id, provider)
);
alter table provider_connections enable row level security, force row level security;
create policy store on provider_connections to assistant
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update, delete on provider_connections to assistant;
-- Which keys of the platform are in use, over all stores.
create policy keys on provider_connections for select to assistant_system using (true);
grant select (store_id, credentials_key_id) on provider_connections to assistant_system;

insert into provider_connections (store_id, provider, connected_at)
select store_id, provider, connected_at from model_connections;
-- No release has this table.
-- squawk-ignore ban-drop-table
drop table model_connections;
