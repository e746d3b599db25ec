-- The messaging channel that a store has connected.

create table channels (
  id uuid primary key default uuidv7(),
  store_id uuid not null,
  provider text not null check (provider in ('whatsapp_cloud', 'sandbox')),
  status text not null default 'connected' check (status in ('connected', 'needs_attention')),
  phone text check (phone ~ '^[1-9][0-9]{7,14}$'),
  connected_at timestamptz(3) not null default now(),
  disconnected_at timestamptz(3)
);
-- Connecting replaces what was connected, so there is one live channel at most.
create unique index channels_live on channels (store_id) where disconnected_at is null;

alter table channels enable row level security;
alter table channels force row level security;
create policy store on channels to messaging
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update on channels to messaging;
