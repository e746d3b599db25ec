-- Customers who got another number or another user id, as the channel told. The rows stay: a webhook that is posted again
-- moves nothing, and a late message from before the change is still the lead's.
create table identity_changes (
  store_id uuid not null,
  channel_id uuid not null references channels (id),
  -- The channel's id of the notice.
  event_id text not null,
  from_wa_id text,
  from_user_id text,
  to_wa_id text,
  to_user_id text,
  -- By the channel's clock.
  changed_at timestamptz(3) not null,
  -- The lead that has the conversation since. Null: no lead was known.
  lead_id uuid,
  -- Null: it is not finished.
  outcome text check (outcome in ('moved', 'kept', 'unknown')),
  -- The lead that crm merged into it, and when its rows are moved for the last time. Null: nothing is left.
  merged_lead_id uuid,
  finish_at timestamptz(3),
  received_at timestamptz(3) not null default now(),
  primary key (store_id, channel_id, event_id),
  check ((finish_at is null) or (merged_lead_id is not null))
);
create index identity_changes_by_wa_id on identity_changes (store_id, from_wa_id, changed_at) where from_wa_id is not null;
create index identity_changes_by_user_id on identity_changes (store_id, from_user_id, changed_at) where from_user_id is not null;
create index identity_changes_unfinished on identity_changes (finish_at) where finish_at is not null;
alter table identity_changes enable row level security;
alter table identity_changes force row level security;
create policy store on identity_changes to messaging
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update on identity_changes to messaging;
-- The job that finishes merges looks at every store.
create policy finishing on identity_changes for select to messaging_system using (true);
grant select (store_id, channel_id, event_id, lead_id, merged_lead_id, finish_at) on identity_changes to messaging_system;
