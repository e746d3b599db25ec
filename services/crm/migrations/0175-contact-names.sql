-- What the store's own telephone calls customers who are no leads yet. The lead of such a customer gets the name, and the
-- row goes.
create table contact_names (
  store_id uuid not null,
  -- The canonical form of the phone.
  phone_key text not null,
  name text not null,
  -- By the clock of the channel.
  named_at timestamptz(3) not null,
  -- A contact who has not written by then is forgotten.
  kept_until timestamptz(3) not null,
  primary key (store_id, phone_key)
);
create index contact_names_kept_until on contact_names (kept_until);
alter table contact_names enable row level security, force row level security;
create policy store on contact_names to crm
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy purge on contact_names to crm_system using (true);
grant select, insert, update, delete on contact_names to crm;
grant select (kept_until), delete on contact_names to crm_system;
