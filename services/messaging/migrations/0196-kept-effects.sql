-- What a channel told of a customer who was no lead yet: that they opted out or in, called, or who answers them. The lead of
-- such a customer gets it, and the row goes. Each customer has the last one of each kind and part.
create table kept_effects (
  store_id uuid not null,
  -- The user id of the channel, or else the phone key.
  customer text not null,
  -- opt_out, call or handover.
  kind text not null,
  -- The scope of an opt-out, otherwise empty.
  part text not null,
  -- The canonical form of the phone, when the channel told it.
  phone_key text,
  user_id text,
  -- What the kind needs beside the time.
  effect jsonb not null,
  -- By the clock of the channel.
  told_at timestamptz(3) not null,
  -- A customer who is no lead by then is forgotten.
  kept_until timestamptz(3) not null,
  primary key (store_id, customer, kind, part)
);
create index kept_effects_by_phone on kept_effects (store_id, phone_key) where phone_key is not null;
create index kept_effects_by_user on kept_effects (store_id, user_id) where user_id is not null;
create index kept_effects_kept_until on kept_effects (kept_until);
alter table kept_effects enable row level security, force row level security;
create policy store on kept_effects to messaging
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy purge on kept_effects to messaging_system using (true);
grant select, insert, update, delete on kept_effects to messaging;
grant select (store_id, kept_until), delete on kept_effects to messaging_system;
