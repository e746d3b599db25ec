-- A store can connect a server that turns texts into vectors, for the search of its knowledge documents in crm.
create table embedders (
  store_id uuid primary key,
  -- Another one for another address or model: their vectors cannot be compared.
  id uuid not null,
  url text not null,
  model text not null,
  -- Encrypted, bound to this store and id. Null: the server needs no key.
  sealed_credentials text,
  -- Which key of ENCRYPTION_KEYS sealed the credentials: `v1.<key id>.…`. A process is ready when its keys open them.
  credentials_key_id text generated always as (split_part(sealed_credentials, '.', 2)) virtual,
  connected_at timestamptz(3) not null default clock_timestamp()
);
alter table embedders enable row level security, force row level security;
create policy store on embedders to assistant
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update, delete on embedders to assistant;
-- Which keys of the platform are in use, over all stores.
create policy keys on embedders for select to assistant_system using (true);
grant select (store_id, credentials_key_id) on embedders to assistant_system;
