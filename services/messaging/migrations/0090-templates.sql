-- The templates of a channel, as its provider tells them.
alter table channels
  -- whatsapp_cloud: Meta's id of the WhatsApp Business Account, which owns the templates. Null: they are not known.
  add column business_account_id text,
  -- When the next synchronization begins. Null: there was none since the channel was connected, and it begins now.
  add column next_template_sync_at timestamptz(3),
  -- The synchronization that may save its result: another one has begun when it differs.
  add column template_sync_token uuid,
  -- How many failed in a row. The pauses between them grow with it.
  add column template_sync_failures integer not null default 0,
  -- When the templates were last read completely. Null: never, and nothing is checked against them.
  add column templates_synced_at timestamptz(3),
  -- Why the last synchronization failed.
  add column templates_error_code text,
  add column templates_error_detail text;
-- The job looks for channels of every store.
grant select (business_account_id, next_template_sync_at) on channels to messaging_system;

create table templates (
  id uuid primary key default uuidv7(),
  store_id uuid not null,
  channel_id uuid not null references channels (id),
  name text not null,
  language text not null,
  status text not null,
  rejected_reason text,
  category text not null,
  quality text not null,
  variables text not null,
  components jsonb not null,
  updated_at timestamptz(3) not null default clock_timestamp(),
  unique (store_id, name, language, channel_id)
);
alter table templates enable row level security, force row level security;
create policy store on templates to messaging
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update, delete on templates to messaging;
