-- A webhook payload that could not be processed completely is kept and counted, also when it was given up.
alter table inbound_payloads
  -- When it was given up; `last_error` says why.
  add column failed_at timestamptz(3);
grant select (failed_at, last_error) on inbound_payloads to messaging_system;

-- The channel's ids of a lead that do not derive from its phone, such as WhatsApp's business-scoped user ids.
create table customer_user_ids (
  store_id uuid not null,
  user_id text not null check (char_length(user_id) between 1 and 200),
  lead_id uuid not null,
  primary key (store_id, user_id),
  foreign key (store_id, lead_id) references conversations (store_id, lead_id)
);
create index customer_user_ids_by_lead on customer_user_ids (store_id, lead_id);
alter table customer_user_ids enable row level security;
alter table customer_user_ids force row level security;
create policy store on customer_user_ids to messaging
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update on customer_user_ids to messaging;
