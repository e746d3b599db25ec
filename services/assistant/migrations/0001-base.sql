-- Turns: what a lead wrote and how the AI answered it, the models that stores have connected, and what the AI may spend.

-- Row-level security of a table whose rows belong to stores: a request reads and writes only the rows of its store. It
-- binds the owner of the table, too. The end of this file drops the function.
create function keep_to_store(target regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security, force row level security', target);
  execute format('create policy store on %1$s to assistant using (%2$s) with check (%2$s)', target,
    'store_id = (select nullif(current_setting(''mostrador.store_id'', true), '''')::uuid)');
end $$;

-- What a store has set. A store without a row has the defaults.
create table store_settings (
  store_id uuid primary key,
  ai boolean not null default false,
  ai_quiet_seconds double precision not null default 6 check (ai_quiet_seconds between 0 and 60),
  ai_max_wait_seconds double precision not null default 30 check (ai_max_wait_seconds between 0 and 300),
  ai_daily_calls integer not null default 500 check (ai_daily_calls between 0 and 1000000)
);
select keep_to_store('store_settings');
grant select, insert, update on store_settings to assistant;

-- The model that a store has connected.
create table model_connections (
  store_id uuid primary key,
  provider text not null check (provider in ('demo')),
  connected_at timestamptz(3) not null default clock_timestamp()
);
select keep_to_store('model_connections');
grant select, insert, update, delete on model_connections to assistant;

-- How many calls to a model a day has had, in UTC. A call counts before it is made.
create table model_days (
  store_id uuid not null,
  day date not null,
  calls integer not null check (calls >= 0),
  primary key (store_id, day)
);
select keep_to_store('model_days');
grant select, insert, update on model_days to assistant;

-- One turn answers what a lead wrote one after the other.
create table ai_turns (
  store_id uuid not null,
  -- Also the id of the message that answers.
  id uuid not null default uuidv7(),
  lead_id uuid not null,
  state text not null default 'open' check (state in ('open', 'sent', 'silent', 'superseded', 'handed_over')),
  -- Why a turn was `silent` or `handed_over`.
  reason text,
  -- When messaging received the first and the last message that this turn is known to answer.
  first_received_at timestamptz(3) not null,
  last_received_at timestamptz(3) not null,
  -- The first message that came while the turn was decided or told: the next turn begins with it.
  next_received_at timestamptz(3),
  -- The last message that the decision is about. In an ended turn: nothing up to here is answered again.
  answered_to timestamptz(3),
  -- What the model decided. The text is here only until messaging has it.
  action text check (action in ('reply', 'silent', 'hand_over')),
  action_reason text,
  reply text check (char_length(reply) between 1 and 4096),
  agent_id uuid,
  agent_name text,
  agent_reason text,
  -- The passages that the model was given: ids and titles, no text.
  passages jsonb not null default '[]' check (jsonb_typeof(passages) = 'array'),
  model text,
  latency_ms integer,
  -- To the microsecond, like the lease: rounded up, what is due now would not be due yet.
  next_attempt_at timestamptz,
  -- The attempts since the last one that succeeded, and why the last one failed.
  attempts integer not null default 0,
  error_code text,
  lease_token uuid,
  lease_until timestamptz,
  -- When the sweep last woke the workflow.
  woken_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (store_id, id),
  check ((state = 'open') = (next_attempt_at is not null)),
  check (state = 'open' or (lease_token is null and reply is null)),
  check ((state in ('silent', 'handed_over')) = (reason is not null)),
  check ((lease_token is null) = (lease_until is null)),
  check (action is null or answered_to is not null),
  check (reply is null or action in ('reply', 'hand_over'))
);
create unique index ai_turns_open on ai_turns (store_id, lead_id) where state = 'open';
create index ai_turns_answered on ai_turns (store_id, lead_id, answered_to) where answered_to is not null;
create index ai_turns_due on ai_turns (next_attempt_at) where state = 'open';
select keep_to_store('ai_turns');
grant select, insert, update on ai_turns to assistant;
-- The sweep looks at every store, and names the lead to Temporal's search.
create policy sweep_reads on ai_turns for select to assistant_system using (true);
create policy sweep_marks on ai_turns for update to assistant_system using (true);
grant select (store_id, id, lead_id, state, next_attempt_at, woken_at), update (woken_at) on ai_turns to assistant_system;

-- The outbox: the wake-ups and events of a transaction, which the relay delivers after its commit.
-- Canonical text; a service's migration holds a copy with its own roles for `service` and `service_system`.
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
  -- workflow: the trace in which the entry was written, as a W3C traceparent
  traceparent text,
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

alter table outbox enable row level security;
alter table outbox force row level security;
create policy store on outbox to assistant
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy relay on outbox to assistant_system using (true) with check (true);
grant insert, select on outbox to assistant;
grant select, insert, update, delete on outbox to assistant_system;

-- Stored answers by Idempotency-Key. The transaction that does the work writes its answer here.
-- Canonical text; a service's migration holds a copy with its own roles for `service` and `service_system`.
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
  -- the row of a deferred answer (`withDeferredIdempotency`; a service without it may leave the column out)
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

alter table idempotency_records enable row level security;
alter table idempotency_records force row level security;
create policy store on idempotency_records to assistant
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy purge on idempotency_records to assistant_system using (true);
grant select, insert, update on idempotency_records to assistant;
grant select, delete on idempotency_records to assistant_system;

-- Events for the public feed, which the relay sends to the events service in the order of their positions.
-- Canonical text; a service's migration holds a copy with its own roles for `service` and `service_system`.
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
  -- what caused it, and the resource's ETag and what it was before; null in an entry of a version without them
  etag text,
  actor json,
  request_id text,
  previous json,
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

alter table feed_entries enable row level security;
alter table feed_entries force row level security;
create policy store on feed_entries to assistant
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy relay on feed_entries to assistant_system using (true) with check (true);
grant insert, select on feed_entries to assistant;
grant select, update, delete on feed_entries to assistant_system;

drop function keep_to_store;
