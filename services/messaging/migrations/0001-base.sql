-- The channels of stores, their conversations and messages, what providers post, the inbox, and the reports about
-- conversations.

-- Row-level security of a table whose rows belong to stores: a request reads and writes only the rows of its store. It
-- binds the owner of the table, too. The end of this file drops the function.
create function keep_to_store(target regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security, force row level security', target);
  execute format('create policy store on %1$s to messaging using (%2$s) with check (%2$s)', target,
    'store_id = (select nullif(current_setting(''mostrador.store_id'', true), '''')::uuid)');
end $$;

-- Channels -------------------------------------------------------------------------------------------------------------

-- The messaging channels that a store has connected.
create table channels (
  id uuid primary key default uuidv7(),
  store_id uuid not null,
  provider text not null check (provider in ('whatsapp_cloud', 'sandbox')),
  status text not null default 'connected' check (status in ('connected', 'needs_attention')),
  phone text check (phone ~ '^[1-9][0-9]{7,14}$'),
  -- whatsapp_cloud: Meta's id of the number.
  phone_number_id text,
  api_url text,
  -- Encrypted, bound to this store and row; forgotten on disconnecting.
  sealed_credentials text,
  -- Which key of ENCRYPTION_KEYS sealed the credentials: `v1.<key id>.…`. A process is ready when its keys open them.
  credentials_key_id text generated always as (split_part(sealed_credentials, '.', 2)) virtual,
  -- SHA-256 of the token in the sandbox's address.
  sandbox_token_hash bytea unique,
  -- The token in the address of the channel's own page, encrypted and bound to the row. It stays after a disconnect, so
  -- that the page gets the same address when it is connected again.
  sealed_page_token text,
  -- The reply window that a sandbox holds, as a real channel would. Null: the provider's own.
  reply_window_minutes integer,
  last_error_code text,
  last_error_detail text,
  -- When the provider refused the channel; null: not known.
  refused_at timestamptz(3),
  -- Limits that we keep before the provider has to refuse (its throughput per number; its rate per pair).
  number_rate integer not null default 80 check (number_rate >= 1),
  pair_interval_seconds double precision not null default 6 check (pair_interval_seconds >= 0),
  pair_burst integer not null default 45 check (pair_burst >= 1),
  -- GCRA of the number: the theoretical arrival time of the next message.
  number_tat timestamptz not null default 'epoch',
  -- GCRA of what was really sent over the number: it bounds sends that come late and together.
  number_sent_tat timestamptz not null default 'epoch',
  -- After the provider throttled the number.
  paused_until timestamptz not null default 'epoch',
  connected_at timestamptz(3) not null default now(),
  disconnected_at timestamptz(3),
  constraint channels_credentials
    check (disconnected_at is null or (sealed_credentials is null and sandbox_token_hash is null)),
  constraint channels_error check ((last_error_code is null) = (last_error_detail is null))
);
-- Connecting replaces what was connected, so there is one live channel at most.
create unique index channels_live on channels (store_id) where disconnected_at is null;
select keep_to_store('channels');
grant select, insert, update on channels to messaging;
-- A webhook's address names a channel and no store; so does the sandbox's. What comes in is stored with the store found.
create policy channel_lookup on channels for select to messaging_system using (true);
grant select (id, store_id, provider, status, phone, sandbox_token_hash, disconnected_at, credentials_key_id)
  on channels to messaging_system;

create table store_settings (
  store_id uuid primary key,
  message_wait_seconds double precision not null default 5 check (message_wait_seconds between 0 and 8),
  session_idle_hours double precision not null default 24 check (session_idle_hours > 0),
  -- Whether an opt-out stops messages of source `api`, too.
  opt_out_stops_api boolean not null default true
);
select keep_to_store('store_settings');
grant select, insert, update on store_settings to messaging;
-- For the sweep of idle sessions.
create policy sweep_settings on store_settings for select to messaging_system using (true);
grant select on store_settings to messaging_system;

-- Providers that failed lately, by the origin of their API. All processes of the service share these rows. An origin
-- without a row answers.
create table provider_circuits (
  origin text primary key,
  -- outages in a row
  failures integer not null,
  -- no process calls the origin before this moment; null: the circuit is closed
  open_until timestamptz,
  -- the lease of the one call that probes after `open_until`
  probe_until timestamptz,
  -- when the circuit opened
  since timestamptz(3),
  updated_at timestamptz not null default clock_timestamp(),
  check ((open_until is null) = (since is null))
);
alter table provider_circuits enable row level security, force row level security;
create policy reading on provider_circuits for select to messaging using (true);
create policy recording on provider_circuits to messaging_system using (true) with check (true);
grant select on provider_circuits to messaging;
grant select, insert, update, delete on provider_circuits to messaging_system;

-- Conversations --------------------------------------------------------------------------------------------------------

-- One per lead. Locked to accept a message in either direction: that lock is what makes `next_number` the order of
-- acceptance. Lock order: conversation, then message.
create table conversations (
  store_id uuid not null,
  lead_id uuid not null,
  -- The lead's name for the channel; it may differ from the number that was written to.
  wa_id text check (wa_id ~ '^[0-9]{5,20}$'),
  -- The phone that the lead got since it has a conversation, and the lead's version with it. Null: the phone never changed.
  phone text,
  phone_version integer,
  next_number bigint not null default 1,
  -- The reply window, and what a planned message looks at before it is accepted.
  last_inbound_at timestamptz(3),
  opted_out_at timestamptz(3),
  -- The lead's last wish about all messages and about marketing messages: what, when by the channel's clock, and how. Null:
  -- none, or `opted_out_at` was set alone, which then rules.
  opt_out_wishes jsonb,
  -- Messages received or sent, and how many of them crm has been told of.
  interaction_count integer not null default 0,
  reported_count integer not null default 0,
  -- GCRA of the pair.
  pair_tat timestamptz not null default 'epoch',
  -- When the sweep last woke the delivery workflow.
  woken_at timestamptz(3),

  -- What the inbox lists: facts of the messages, and a copy of the lead.

  -- When its last message was accepted or received.
  last_message_at timestamptz(3),
  -- Its last message that is not cancelled is inbound.
  is_unanswered boolean not null default false,
  -- When the lead wrote the first message that has had no answer since. Null: nothing waits, or it is not known yet, and
  -- the last message counts.
  waiting_since timestamptz(3),
  -- Its last outbound message that is not cancelled is `failed` or `unknown`.
  needs_attention boolean not null default false,
  -- The store has read up to this message.
  read_number bigint not null default 0,
  -- Inbound messages after `read_number`.
  unread_count integer not null default 0,
  -- `next_number` when the facts above were last right. A process that does not know them leaves it behind.
  counted_next bigint not null default 1,
  -- The lead as crm had it in this version. Null: not known yet.
  lead_version integer,
  lead_name text,
  lead_phone text,
  lead_status text,
  seller_id uuid,
  ai_paused_until timestamptz(3),
  primary key (store_id, lead_id)
);
create unique index conversations_by_wa_id on conversations (store_id, wa_id) where wa_id is not null;
create index conversations_unreported on conversations (store_id, lead_id) where reported_count < interaction_count;
-- The inbox, whole and by each filter. It shows a conversation when it has a message and its lead is known.
create index conversations_by_activity on conversations (store_id, last_message_at, lead_id)
  where last_message_at is not null and lead_version is not null;
create index conversations_by_seller on conversations (store_id, seller_id, last_message_at, lead_id)
  where last_message_at is not null and lead_version is not null;
create index conversations_unread on conversations (store_id, last_message_at, lead_id)
  where unread_count > 0 and last_message_at is not null and lead_version is not null;
create index conversations_unanswered on conversations (store_id, last_message_at, lead_id)
  where is_unanswered and last_message_at is not null and lead_version is not null;
create index conversations_with_trouble on conversations (store_id, last_message_at, lead_id)
  where needs_attention and last_message_at is not null and lead_version is not null;
create index conversations_paused on conversations (store_id, last_message_at, lead_id)
  where ai_paused_until is not null and last_message_at is not null and lead_version is not null;
-- `case` and not `coalesce`, which PostgreSQL does not know to be leakproof: row-level security would keep it from the index.
create index conversations_waiting
  on conversations (store_id, (case when waiting_since is null then last_message_at else waiting_since end), lead_id)
  where is_unanswered and last_message_at is not null and lead_version is not null;
-- By `counted_next`, because no other index has this order: the planner takes the rows for many, and would read the table.
create index conversations_behind on conversations (store_id, counted_next, lead_id)
  where next_number > 1 and (counted_next < next_number or lead_version is null);
select keep_to_store('conversations');
-- A merge of leads deletes the conversation whose rows it has moved.
grant select, insert, update, delete on conversations to messaging;
-- The sweeps and the job of the inbox look at every store, at ids, times and counts alone.
create policy sweep_conversations on conversations for select to messaging_system using (true);
create policy sweep_conversations_mark on conversations for update to messaging_system using (true);
grant select (store_id, lead_id, interaction_count, reported_count, woken_at, next_number, counted_next, lead_version),
  update (woken_at) on conversations to messaging_system;

create table sessions (
  store_id uuid not null,
  id uuid not null default uuidv7(),
  lead_id uuid not null,
  status text not null default 'active' check (status in ('active', 'ended')),
  opened_by_lead boolean not null default false,
  started_at timestamptz(3) not null,
  last_message_at timestamptz(3) not null,
  -- `counted_at` of the first message to a lead that opened the session
  first_response_at timestamptz(3),
  -- When it happened, as the channel says, or before the job came round.
  ended_at timestamptz(3),
  -- When it was recorded by this server's clock, which decides the day that it counts for.
  end_recorded_at timestamptz(3),
  primary key (store_id, id),
  foreign key (store_id, lead_id) references conversations (store_id, lead_id),
  check ((status = 'ended') = (ended_at is not null)),
  constraint sessions_response check (first_response_at >= started_at)
);
-- At most one active session per lead.
create unique index sessions_active on sessions (store_id, lead_id) where status = 'active';
create index sessions_by_lead on sessions (store_id, lead_id, started_at, id);
create index sessions_idle on sessions (last_message_at) where status = 'active';
-- For the reports.
create index sessions_by_start on sessions (store_id, started_at);
create index sessions_by_end on sessions (store_id, end_recorded_at) where end_recorded_at is not null;
create index sessions_by_response on sessions (store_id, first_response_at) where first_response_at is not null;
select keep_to_store('sessions');
grant select, insert, update on sessions to messaging;
create policy sweep_sessions on sessions for select to messaging_system using (true);
grant select (store_id, id, lead_id, status, last_message_at, started_at, end_recorded_at, first_response_at)
  on sessions to messaging_system;

-- Messages -------------------------------------------------------------------------------------------------------------

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
  -- A customer's text may be longer than what the store may send.
  body text not null constraint messages_body_check check (octet_length(body) <= 65536),
  -- `body` is only the beginning of what the lead wrote.
  body_truncated boolean not null default false,
  template jsonb,
  reactions jsonb not null default '[]',
  -- What the store's own systems know of a message.
  metadata jsonb not null default '{}',
  -- `cancelled`: it was taken back while it was queued.
  status text not null check (
    status in ('received', 'queued', 'sending', 'unknown', 'sent', 'delivered', 'read', 'failed', 'cancelled')),
  error_code text,
  error_detail text,
  provider_message_id text,
  created_at timestamptz(3) not null default now(),
  -- When what the API shows of the message last changed.
  updated_at timestamptz(3) not null default clock_timestamp(),
  sent_at timestamptz(3),
  delivered_at timestamptz(3),
  read_at timestamptz(3),
  edited_at timestamptz(3),
  revoked_at timestamptz(3),
  -- When this server's clock recorded that the channel took it, and that it failed, which decides the day that each counts
  -- for: `sent_at` is when it happened, as the channel says. `failed_at` stays when the message turns out to have arrived.
  counted_at timestamptz(3),
  failed_at timestamptz(3),

  -- The sending.

  attempts integer not null default 0,
  -- The attempt that runs, and until when it may.
  lease_token uuid,
  lease_until timestamptz,
  next_attempt_at timestamptz,
  -- Its turn in the number's rate, once it had to wait for one.
  slot_at timestamptz,
  -- Why the provider is not called for a queued message, and since when; null: it waits for nothing, or for something else.
  wait_reason text,
  wait_since timestamptz(3),
  unknown_since timestamptz,
  -- When the watchdog tells of it, unless the provider has reported by then; null: there is nothing to tell.
  unsettled_at timestamptz,
  primary key (store_id, id),
  unique (store_id, lead_id, number),
  foreign key (store_id, lead_id) references conversations (store_id, lead_id),
  foreign key (store_id, session_id) references sessions (store_id, id),
  check ((direction = 'inbound') = (status = 'received')),
  check ((lease_token is null) = (lease_until is null)),
  check ((error_code is null) = (error_detail is null)),
  constraint messages_recorded check (direction = 'outbound' or (counted_at is null and failed_at is null))
);
-- A message that the provider reports twice is one message.
create unique index messages_by_provider_id on messages (store_id, channel_id, provider_message_id)
  where provider_message_id is not null;
-- The lead's queue, and the sweeps over all of them.
create index messages_queue on messages (store_id, lead_id, number) where status in ('queued', 'sending', 'unknown');
create index messages_unsettled on messages (unsettled_at) where unsettled_at is not null;
create index messages_waiting on messages (created_at) where status in ('queued', 'sending', 'unknown');
create index messages_due on messages (coalesce(lease_until, next_attempt_at, created_at))
  where status in ('queued', 'sending');
create index messages_by_status_and_change on messages (store_id, status, updated_at, id);
-- For the reports.
create index messages_inbound_by_moment on messages (store_id, created_at) where direction = 'inbound';
create index messages_counted_by_moment on messages (store_id, counted_at) where counted_at is not null;
create index messages_failed_by_moment on messages (store_id, failed_at) where failed_at is not null;
select keep_to_store('messages');
grant select, insert, update on messages to messaging;
-- The sweeps and the watchdog look at every store, at ids and times alone.
create policy sweep_messages on messages for select to messaging_system using (true);
create policy watchdog on messages for update to messaging_system using (true);
grant select (store_id, id, lead_id, number, direction, source, status, created_at, lease_until, next_attempt_at,
    unknown_since, unsettled_at, counted_at, failed_at),
  update (unsettled_at) on messages to messaging_system;

-- The clock is read inside the transaction: docs/adr/0010. A sync must miss no change, whatever statement makes it.
create function touch() returns trigger language plpgsql as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end $$;
create trigger touch before update on messages for each row
  when (
    (old.lead_id, old.session_id, old.body, old.status, old.error_code, old.error_detail, old.provider_message_id,
      old.sent_at, old.delivered_at, old.read_at, old.reactions, old.edited_at, old.revoked_at, old.body_truncated)
    is distinct from
    (new.lead_id, new.session_id, new.body, new.status, new.error_code, new.error_detail, new.provider_message_id,
      new.sent_at, new.delivered_at, new.read_at, new.reactions, new.edited_at, new.revoked_at, new.body_truncated))
  execute function touch();

-- Keeps what the inbox shows of a message that failed, is `unknown` or was cancelled, whatever statement says so. Such a
-- change is rare. Every change of a status is made under the conversation's lock.
create function note_trouble() returns trigger
language plpgsql
set search_path = pg_catalog, messaging, pg_temp
as $$
begin
  update conversations c
  set is_unanswered = coalesce((
        select m.direction = 'inbound' from messages m
        where m.store_id = new.store_id and m.lead_id = new.lead_id and m.status <> 'cancelled'
        order by m.number desc limit 1), false),
      waiting_since = (
        select m.created_at from messages m
        where m.store_id = new.store_id and m.lead_id = new.lead_id and m.direction = 'inbound'
          and m.number > coalesce((
            select o.number from messages o
            where o.store_id = new.store_id and o.lead_id = new.lead_id and o.status <> 'cancelled'
              and o.direction = 'outbound'
            order by o.number desc limit 1), 0)
        order by m.number limit 1),
      needs_attention = coalesce((
        select m.status in ('failed', 'unknown') from messages m
        where m.store_id = new.store_id and m.lead_id = new.lead_id and m.status <> 'cancelled'
          and m.direction = 'outbound'
        order by m.number desc limit 1), false)
  where c.store_id = new.store_id and c.lead_id = new.lead_id;
  return null;
end
$$;
create trigger note_trouble after update of status on messages for each row
  when (old.status is distinct from new.status
    and (old.status in ('unknown', 'failed', 'cancelled') or new.status in ('unknown', 'failed', 'cancelled')))
  execute function note_trouble();
revoke execute on function note_trouble from public;
grant execute on function note_trouble to messaging;

-- The last change of each kind by each side to a message, under the channel's id of that message. It may come before the
-- message does, and stays: so that a repeated or late one changes nothing.
create table message_changes (
  store_id uuid not null,
  channel_id uuid not null references channels (id),
  provider_message_id text not null,
  kind text not null check (kind in ('reaction', 'edit', 'revocation')),
  source text not null check (source in ('lead', 'seller')),
  -- The channel's id of the change, and when it was made, by the channel's clock.
  event_id text not null,
  changed_at timestamptz(3) not null,
  -- The emoji, or null when it was removed; the new text.
  body text,
  body_truncated boolean not null default false,
  received_at timestamptz(3) not null default now(),
  primary key (store_id, channel_id, provider_message_id, kind, source)
);
select keep_to_store('message_changes');
grant select, insert, update on message_changes to messaging;

-- What channels post ---------------------------------------------------------------------------------------------------

-- As it came: stored, then answered, then processed in order per conversation. A payload that could not be processed
-- completely is kept and counted, also when it was given up.
create table inbound_payloads (
  store_id uuid not null,
  id uuid primary key default uuidv7(),
  channel_id uuid not null references channels (id),
  -- the raw bytes: jsonb would refuse \u0000 and lone surrogates, which may stand in what people write
  payload bytea not null,
  -- SHA-256 of the payload.
  payload_hash bytea,
  -- who wrote, by the channel's id of theirs: a later payload of theirs waits for this one
  customers text[] not null default '{}',
  received_at timestamptz(3) not null default clock_timestamp(),
  processed_at timestamptz(3),
  -- how often it failed for a reason of its own
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  -- When it was given up; `last_error` says why.
  failed_at timestamptz(3),
  last_error text
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
-- A webhook body that is posted again is stored once.
create unique index inbound_payloads_once on inbound_payloads (channel_id, payload_hash)
  where payload_hash is not null;
create index inbound_payloads_open on inbound_payloads (id) where processed_at is null;
-- What a store has been posted and has not processed: looked at before a planned message goes out. Not by customer: array
-- operators are not leakproof, so that row-level security would keep them from the index. As a rule there are few.
create index inbound_payloads_open_by_store on inbound_payloads (store_id, received_at) where processed_at is null;
create index inbound_payloads_done on inbound_payloads (processed_at) where processed_at is not null;
create index inbound_payloads_failed on inbound_payloads (store_id, failed_at) where failed_at is not null;
select keep_to_store('inbound_payloads');
grant select, insert, update on inbound_payloads to messaging;
-- The processor looks at every store.
create policy processing on inbound_payloads to messaging_system using (true) with check (true);
grant select (id, store_id, channel_id, received_at, processed_at, attempts, next_attempt_at, failed_at, last_error),
  update (next_attempt_at), delete on inbound_payloads to messaging_system;

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
  -- What the lead opted out of, if the channel refused the message for it.
  opt_out text check (opt_out in ('all', 'marketing')),
  received_at timestamptz(3) not null default now(),
  primary key (store_id, channel_id, provider_message_id, status)
);
create index status_reports_by_callback on status_reports (store_id, callback_data) where callback_data is not null;
select keep_to_store('status_reports');
grant select, insert, update on status_reports to messaging;

-- The channel's ids of a lead that do not derive from its phone, such as WhatsApp's business-scoped user ids.
create table customer_user_ids (
  store_id uuid not null,
  user_id text not null check (char_length(user_id) between 1 and 200),
  lead_id uuid not null,
  primary key (store_id, user_id),
  foreign key (store_id, lead_id) references conversations (store_id, lead_id)
);
create index customer_user_ids_by_lead on customer_user_ids (store_id, lead_id);
select keep_to_store('customer_user_ids');
-- A lead that gets another phone is no longer known by the earlier one's ids.
grant select, insert, update, delete on customer_user_ids to messaging;

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
select keep_to_store('identity_changes');
grant select, insert, update on identity_changes to messaging;
-- The job that finishes merges looks at every store.
create policy finishing on identity_changes for select to messaging_system using (true);
grant select (store_id, channel_id, event_id, lead_id, merged_lead_id, finish_at) on identity_changes to messaging_system;

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
select keep_to_store('sandbox_deliveries');
grant select, insert, update on sandbox_deliveries to messaging;

-- Reports --------------------------------------------------------------------------------------------------------------

-- What happened, by lead: the report of one lead and that of the store count the same. `response_le_<n>`: the first
-- response took no longer than limit `n` of firstResponseBucketSeconds, and longer than the one before.
create view lead_report_facts with (security_invoker = true) as
  select store_id, lead_id, 'sessions_started' as metric, started_at as at, 1::bigint as amount
  from sessions
union all
  select store_id, lead_id, 'sessions_ended', end_recorded_at, 1
  from sessions where end_recorded_at is not null
union all
  select store_id, lead_id, 'messages_inbound', created_at, 1
  from messages where direction = 'inbound'
union all
  select store_id, lead_id, 'outbound_' || source, counted_at, 1
  from messages where counted_at is not null
union all
  select store_id, lead_id, 'messages_failed', failed_at, 1
  from messages where failed_at is not null
union all
  select store_id, lead_id, 'response_ms', first_response_at,
    (extract(epoch from first_response_at - started_at) * 1000)::bigint
  from sessions where first_response_at is not null
union all
  select store_id, lead_id, 'response_le_' || width_bucket(
    (extract(epoch from first_response_at - started_at) * 1000)::bigint - 1,
    array[
      1000, 2000, 3000, 5000, 7000, 10000, 15000, 20000, 30000, 45000, 60000, 90000, 120000, 180000, 300000, 450000,
      600000, 900000, 1200000, 1800000, 2700000, 3600000, 5400000, 7200000, 10800000, 14400000, 21600000, 43200000,
      86400000, 172800000, 604800000]::bigint[]), first_response_at, 1
  from sessions where first_response_at is not null;

create view report_facts with (security_invoker = true) as
  select store_id, '00000000-0000-0000-0000-000000000000'::uuid as subject, metric, at, amount from lead_report_facts;

-- Closing counts for every store, which the sweeps' policies let it see.
grant select on lead_report_facts, report_facts to messaging, messaging_system;

-- Running totals. A quarter-hour has a row only if something happened in it. Its counts are the totals from the
-- beginning of time to the end of that quarter, in the order of the service's list of metrics. The list only grows: a
-- missing element of a shorter array is zero.
create table report_quarters (
  store_id uuid not null,
  subject uuid not null,
  -- the start of the quarter-hour, in UTC
  quarter timestamptz not null,
  counts bigint[] not null,
  primary key (store_id, subject, quarter)
);
-- One row. Quarters before `closed_until` are closed and never change. Reports count the rest from the facts.
create table report_closing (
  one boolean primary key default true check (one),
  closed_until timestamptz not null check (extract(epoch from closed_until) % 900 = 0),
  -- raised by each reset: totals that were read before it may differ from totals read now
  generation integer not null default 1
);
insert into report_closing (closed_until) values ('1970-01-01T00:00:00Z');

alter table report_quarters enable row level security, force row level security;
create policy store on report_quarters to messaging
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy closing on report_quarters to messaging_system using (true) with check (true);
alter table report_closing enable row level security, force row level security;
create policy reading on report_closing for select to messaging using (true);
create policy closing on report_closing to messaging_system using (true) with check (true);
grant select on report_quarters, report_closing to messaging;
grant select, insert, delete on report_quarters to messaging_system;
grant select, update on report_closing to messaging_system;

-- Totals of lists ------------------------------------------------------------------------------------------------------

-- How many rows the lists of a store have, by status and owner: docs/adr/0028.

-- The rows that are counted. `owner` is the seller or the endpoint that the list filters by.
create table list_totals (
  store_id uuid not null,
  list text not null,
  status text,
  owner uuid,
  rows bigint not null,
  constraint list_totals_group unique nulls not distinct (store_id, list, status, owner)
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 500
);
-- What is not counted yet. A transaction that changes a list only inserts, so it waits for no other. A job adds the
-- changes to the totals. Rows live for milliseconds, so autovacuum starts early, by the number of dead rows whatever the
-- table's size.
create table list_total_changes (
  store_id uuid not null,
  list text not null,
  id bigint generated always as identity,
  status text,
  owner uuid,
  change integer not null,
  primary key (store_id, list, id)
) with (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 5000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0
);
-- The lists whose totals are right. Without a row, some rows may be missing, and readers count.
create table list_totals_built (
  store_id uuid not null,
  list text not null,
  primary key (store_id, list)
);

select keep_to_store('list_totals');
create policy folding on list_totals to messaging_system using (true) with check (true);
select keep_to_store('list_total_changes');
create policy folding on list_total_changes to messaging_system using (true) with check (true);
-- What a foreign key changes is the owner's work, and so are its triggers.
create policy owner on list_total_changes for insert to messaging_owner with check (true);
select keep_to_store('list_totals_built');
create policy verifying on list_totals_built for select to messaging_system using (true);
grant select, insert, delete on list_totals, list_total_changes to messaging;
grant select, insert on list_totals_built to messaging;
grant select, insert, update on list_totals to messaging_system;
grant select, insert, delete on list_total_changes to messaging_system;
grant select on list_totals_built to messaging_system;

-- For messages, which come one by one. The argument is the list.
create function count_row() returns trigger
language plpgsql
set search_path = pg_catalog, messaging, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    insert into list_total_changes (store_id, list, status, change) values (new.store_id, tg_argv[0], new.status, 1);
  elsif tg_op = 'DELETE' then
    insert into list_total_changes (store_id, list, status, change) values (old.store_id, tg_argv[0], old.status, -1);
  else
    insert into list_total_changes (store_id, list, status, change)
    values (old.store_id, tg_argv[0], old.status, -1), (new.store_id, tg_argv[0], new.status, 1);
  end if;
  return null;
end
$$;

create function count_conversation() returns trigger
language plpgsql
set search_path = pg_catalog, messaging, pg_temp
as $$
begin
  if tg_op <> 'INSERT' and old.last_message_at is not null and old.lead_version is not null then
    insert into list_total_changes (store_id, list, status, owner, change)
    values (old.store_id, 'conversations', old.lead_status, old.seller_id, -1);
  end if;
  if tg_op <> 'DELETE' and new.last_message_at is not null and new.lead_version is not null then
    insert into list_total_changes (store_id, list, status, owner, change)
    values (new.store_id, 'conversations', new.lead_status, new.seller_id, 1);
  end if;
  return null;
end
$$;

revoke execute on function count_row, count_conversation from public;
grant execute on function count_row, count_conversation to messaging;

-- An update that moves no row to another group fires no trigger.
create trigger count_row after insert or delete on messages for each row execute function count_row('messages');
create trigger count_moved after update on messages for each row
  when (old.status is distinct from new.status) execute function count_row('messages');
-- A new conversation has no message yet.
create trigger count_added after insert on conversations for each row
  when (new.last_message_at is not null and new.lead_version is not null) execute function count_conversation();
create trigger count_removed after delete on conversations for each row
  when (old.last_message_at is not null and old.lead_version is not null) execute function count_conversation();
create trigger count_moved after update on conversations for each row
  when ((old.last_message_at is not null and old.lead_version is not null)
      is distinct from (new.last_message_at is not null and new.lead_version is not null)
    or old.lead_status is distinct from new.lead_status or old.seller_id is distinct from new.seller_id)
  execute function count_conversation();

-- The rows of each list, by what it filters. Totals are built from it. The inbox shows a conversation when it has a
-- message and its lead is known.
create view list_rows with (security_invoker = true) as
  select store_id, 'messages' as list, status, null::uuid as owner from messages
union all
  select store_id, 'conversations', lead_status, seller_id from conversations
  where last_message_at is not null and lead_version is not null;
grant select on list_rows to messaging;

-- Tables of every service ----------------------------------------------------------------------------------------------

-- The outbox: the wake-ups and events of a transaction, which the relay delivers after its commit.
-- Rows live for milliseconds, so autovacuum starts early, by the number of dead rows whatever the table's size.
create table outbox (
  id uuid primary key default uuidv7(),
  store_id uuid not null,
  kind text not null check (kind in ('workflow', 'event')),
  -- workflow: the entity workflow's name; event: the event's type
  topic text not null,
  -- workflow
  entity_id uuid,
  lead_id uuid,
  signal text,
  -- event
  data jsonb,
  created_at timestamptz(3) not null default now(),
  attempts integer not null default 0,
  -- when the relay may claim the row: a claim moves it to the end of the lease, a failure to the next attempt
  -- (in microseconds: rounded up to milliseconds, a new row would not be due yet)
  next_attempt_at timestamptz not null default now(),
  last_error text,
  check (case kind when 'workflow' then entity_id is not null and signal is not null else data is not null end)
) with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 5000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0
);
create index outbox_due on outbox (kind, next_attempt_at);

select keep_to_store('outbox');
create policy relay on outbox to messaging_system using (true) with check (true);
grant insert, select on outbox to messaging;
grant select, insert, update, delete on outbox to messaging_system;

-- Stored answers by Idempotency-Key. The transaction that does the work writes its answer here.
create table idempotency_records (
  store_id uuid not null,
  -- method and concrete path: `POST /appointments`
  scope text not null,
  key text not null,
  -- SHA-256 in hex of the request's canonical body
  fingerprint text not null,
  -- the reply's bytes as they were sent; null until a deferred answer is known
  reply bytea,
  etag text,
  -- the row of a deferred answer
  entity_id uuid,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null default now() + interval '24 hours',
  primary key (store_id, scope, key),
  constraint idempotency_records_answer check (reply is not null or entity_id is not null)
) with (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 500
);
create index idempotency_records_expiry on idempotency_records (expires_at);

select keep_to_store('idempotency_records');
create policy purge on idempotency_records to messaging_system using (true);
grant select, insert, update on idempotency_records to messaging;
grant select, delete on idempotency_records to messaging_system;

-- Events for the public feed, which the relay sends to the events service in the order of their positions.
-- Rows live for milliseconds, so autovacuum starts early, by the number of dead rows whatever the table's size.
create table feed_entries (
  -- drawn while the transaction holds the entity's lock, so it rises with each event of an entity
  position bigint generated always as identity primary key,
  -- the event's id, under which the feed knows a repeated entry
  id uuid not null default uuidv7(),
  store_id uuid not null,
  type text not null,
  entity_type text not null,
  entity_id uuid not null,
  -- `json`: the members keep the order that the API has
  data json not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  -- The events service refused this entry. To send it again, set both to null.
  set_aside_at timestamptz(3),
  last_error text,
  check ((set_aside_at is null) = (last_error is null))
) with (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 5000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0
);

select keep_to_store('feed_entries');
create policy relay on feed_entries to messaging_system using (true) with check (true);
grant insert, select on feed_entries to messaging;
grant select, update, delete on feed_entries to messaging_system;

drop function keep_to_store(regclass);
