-- A store's channels, the conversations over them, and what they carry.

alter table channels
  -- whatsapp_cloud: Meta's id of the number.
  add column phone_number_id text,
  add column api_url text,
  -- Encrypted, bound to this store and row; forgotten on disconnecting.
  add column sealed_credentials text,
  -- SHA-256 of the token in the sandbox's address.
  add column sandbox_token_hash bytea unique,
  add column last_error_code text,
  add column last_error_detail text,
  -- Limits that we keep before the provider has to refuse (its throughput per number; its rate per pair).
  add column number_rate integer not null default 80 check (number_rate >= 1),
  add column pair_interval_seconds double precision not null default 6 check (pair_interval_seconds >= 0),
  add column pair_burst integer not null default 45 check (pair_burst >= 1),
  -- GCRA of the number: the theoretical arrival time of the next message.
  add column number_tat timestamptz not null default 'epoch',
  -- After the provider throttled the number.
  add column paused_until timestamptz not null default 'epoch',
  add constraint channels_credentials check (disconnected_at is null or (sealed_credentials is null and sandbox_token_hash is null)),
  add constraint channels_error check ((last_error_code is null) = (last_error_detail is null));

create table store_settings (
  store_id uuid primary key,
  message_wait_seconds double precision not null default 5 check (message_wait_seconds between 0 and 8),
  session_idle_hours double precision not null default 24 check (session_idle_hours > 0)
);

-- One per lead. Locked to accept a message in either direction: that lock is what makes `next_number` the order of
-- acceptance. Lock order: conversation, then message.
create table conversations (
  store_id uuid not null,
  lead_id uuid not null,
  -- The lead's name for the channel; it may differ from the number that was written to.
  wa_id text check (wa_id ~ '^[0-9]{5,20}$'),
  next_number bigint not null default 1,
  -- The reply window, and what a planned message looks at before it is accepted.
  last_inbound_at timestamptz(3),
  opted_out_at timestamptz(3),
  -- Messages received or sent, and how many of them crm has been told of.
  interaction_count integer not null default 0,
  reported_count integer not null default 0,
  -- GCRA of the pair.
  pair_tat timestamptz not null default 'epoch',
  -- When the sweep last woke the delivery workflow.
  woken_at timestamptz(3),
  primary key (store_id, lead_id)
);
create unique index conversations_by_wa_id on conversations (store_id, wa_id) where wa_id is not null;
create index conversations_unreported on conversations (store_id, lead_id) where reported_count < interaction_count;

create table sessions (
  store_id uuid not null,
  id uuid not null default uuidv7(),
  lead_id uuid not null,
  status text not null default 'active' check (status in ('active', 'ended')),
  started_at timestamptz(3) not null,
  last_message_at timestamptz(3) not null,
  ended_at timestamptz(3),
  primary key (store_id, id),
  foreign key (store_id, lead_id) references conversations (store_id, lead_id),
  check ((status = 'ended') = (ended_at is not null))
);
-- At most one active session per lead.
create unique index sessions_active on sessions (store_id, lead_id) where status = 'active';
create index sessions_by_lead on sessions (store_id, lead_id, started_at, id);
create index sessions_idle on sessions (last_message_at) where status = 'active';

create table messages (
  store_id uuid not null,
  id uuid not null default uuidv7(),
  lead_id uuid not null,
  session_id uuid not null,
  -- The order of acceptance within the conversation.
  number bigint not null,
  -- The channel it came or goes by; an outbound message goes by the store's live channel when it is sent.
  channel_id uuid references channels (id),
  direction text not null check (direction in ('inbound', 'outbound')),
  source text not null check (source in ('lead', 'ai', 'seller', 'api', 'followup')),
  -- text; what else the channel carries is kept by its type with an empty body
  kind text not null default 'text',
  body text not null check (char_length(body) <= 4096),
  template jsonb,
  status text not null check (status in ('received', 'queued', 'sending', 'unknown', 'sent', 'delivered', 'read', 'failed')),
  error_code text,
  error_detail text,
  provider_message_id text,
  created_at timestamptz(3) not null default now(),
  sent_at timestamptz(3),
  delivered_at timestamptz(3),
  read_at timestamptz(3),
  -- Of the send: the attempt that runs and until when it may, when the next one is due, and since when the outcome is unknown.
  attempts integer not null default 0,
  lease_token uuid,
  lease_until timestamptz,
  next_attempt_at timestamptz,
  -- Its turn in the number's rate, once it had to wait for one.
  slot_at timestamptz,
  unknown_since timestamptz,
  -- When the watchdog tells of it, unless the provider has reported by then; null: there is nothing to tell.
  unsettled_at timestamptz,
  primary key (store_id, id),
  unique (store_id, lead_id, number),
  foreign key (store_id, lead_id) references conversations (store_id, lead_id),
  foreign key (store_id, session_id) references sessions (store_id, id),
  check ((direction = 'inbound') = (status = 'received')),
  check ((lease_token is null) = (lease_until is null)),
  check ((error_code is null) = (error_detail is null))
);
-- A message that the provider reports twice is one message.
create unique index messages_by_provider_id on messages (store_id, channel_id, provider_message_id)
  where provider_message_id is not null;
-- The lead's queue, and the sweep over all of them.
create index messages_queue on messages (store_id, lead_id, number) where status in ('queued', 'sending', 'unknown');
create index messages_unsettled on messages (unsettled_at) where unsettled_at is not null;
create index messages_waiting on messages (created_at) where status in ('queued', 'sending', 'unknown');

-- What the channel posted, as it came: stored, then answered, then processed in order per conversation.
create table inbound_payloads (
  store_id uuid not null,
  id uuid primary key default uuidv7(),
  channel_id uuid not null references channels (id),
  -- the raw bytes: jsonb would refuse \u0000 and lone surrogates, which may stand in what people write
  payload bytea not null,
  -- who wrote, by the channel's id of theirs: a later payload of theirs waits for this one
  customers text[] not null default '{}',
  received_at timestamptz(3) not null default clock_timestamp(),
  processed_at timestamptz(3),
  -- how often it failed for a reason of its own
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  last_error text
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
create index inbound_payloads_open on inbound_payloads (id) where processed_at is null;
create index inbound_payloads_done on inbound_payloads (processed_at) where processed_at is not null;

-- Reports about messages whose provider id is not known yet: kept, and applied in the transaction that records it.
-- Also the record of what the provider said of each message.
create table status_reports (
  store_id uuid not null,
  channel_id uuid not null references channels (id),
  provider_message_id text not null,
  -- our message id, echoed by the provider where it does so
  callback_data text,
  status text not null,
  reported_at timestamptz(3) not null,
  error_code text,
  error_detail text,
  received_at timestamptz(3) not null default now(),
  primary key (store_id, channel_id, provider_message_id, status)
);
create index status_reports_by_callback on status_reports (store_id, callback_data) where callback_data is not null;

-- What the sandbox's telephone has been sent: the sandbox's own side of the wire.
create table sandbox_deliveries (
  store_id uuid not null,
  id uuid not null,
  channel_id uuid not null references channels (id),
  customer_phone text not null,
  body text not null,
  delivered_at timestamptz(3) not null default clock_timestamp(),
  primary key (store_id, id)
);
create index sandbox_deliveries_by_phone on sandbox_deliveries (store_id, channel_id, customer_phone, delivered_at);

-- An answer that waits for the channel is completed later, once: until then its record names the message.
alter table idempotency_records
  alter column reply drop not null,
  add column entity_id uuid,
  add constraint idempotency_records_answer check (reply is not null or entity_id is not null);

do $$
declare name text;
begin
  foreach name in array array['store_settings', 'conversations', 'sessions', 'messages', 'inbound_payloads', 'status_reports', 'sandbox_deliveries'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format($policy$create policy store on %I to messaging
      using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
      with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))$policy$, name);
    execute format('grant select, insert, update on %I to messaging', name);
  end loop;
end $$;

-- A webhook's address names a channel and no store; so does the sandbox's. What comes in is stored with the store found.
create policy channel_lookup on channels for select to messaging_system using (true);
grant select (id, store_id, provider, status, phone, sandbox_token_hash, disconnected_at) on channels to messaging_system;

-- The processor, the sweeps and the watchdog look at every store, at ids and times alone.
create policy processing on inbound_payloads to messaging_system using (true) with check (true);
grant select (id, store_id, channel_id, received_at, processed_at, attempts, next_attempt_at) on inbound_payloads to messaging_system;
grant update (next_attempt_at) on inbound_payloads to messaging_system;
grant delete on inbound_payloads to messaging_system;
create policy sweep_messages on messages for select to messaging_system using (true);
grant select (store_id, id, lead_id, number, direction, source, status, created_at, lease_until, next_attempt_at, unknown_since, unsettled_at) on messages to messaging_system;
create policy watchdog on messages for update to messaging_system using (true);
grant update (unsettled_at) on messages to messaging_system;
create policy sweep_conversations on conversations for select to messaging_system using (true);
create policy sweep_conversations_mark on conversations for update to messaging_system using (true);
grant select (store_id, lead_id, interaction_count, reported_count, woken_at) on conversations to messaging_system;
grant update (woken_at) on conversations to messaging_system;
create policy sweep_sessions on sessions for select to messaging_system using (true);
grant select (store_id, id, lead_id, status, last_message_at) on sessions to messaging_system;
create policy sweep_settings on store_settings for select to messaging_system using (true);
grant select on store_settings to messaging_system;
