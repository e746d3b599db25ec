-- Stores, their API keys, the people who work in them, how people sign in, and who changed what.

-- Stores ---------------------------------------------------------------------------------------------------------------

create table stores (
  id uuid primary key default uuidv7(),
  name text not null check (char_length(name) between 1 and 200),
  tier text not null check (tier in ('free', 'starter', 'pro', 'enterprise')),
  timezone text not null check (char_length(timezone) between 1 and 100),
  locale text not null check (char_length(locale) between 1 and 35),
  -- The country whose national phone numbers are completed; null: that of the time zone, else that of the locale.
  country text,
  -- Requests a minute for each key; null: the rate of the tier.
  rate_limit integer check (rate_limit between 1 and 10000000),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index stores_by_name on stores (name, id);
-- For the gateway's poll for changes.
create index stores_by_change on stores (updated_at);

alter table stores enable row level security, force row level security;
create policy own_store on stores to accounts
  using (id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy every_store on stores for select to accounts_system using (true);
grant select, insert, update on stores to accounts;
grant select on stores to accounts_system;

-- API keys -------------------------------------------------------------------------------------------------------------

create table api_keys (
  -- The part of the key between the underscores: not secret.
  id text primary key check (id ~ '^[A-Za-z0-9]{8,40}$'),
  store_id uuid not null references stores (id),
  name text not null check (char_length(name) between 1 and 200),
  -- SHA-256 of the whole key; the key itself is stored nowhere.
  key_hash bytea not null check (octet_length(key_hash) = 32),
  -- Null: all scopes, also those of later versions.
  scopes text[] check (cardinality(scopes) >= 1),
  created_at timestamptz(3) not null default now(),
  -- Changes with everything that decides about access, so not with last_used_at.
  updated_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3)
) with (fillfactor = 90);
create index api_keys_of_store on api_keys (store_id, created_at desc);
-- For the gateway's poll for changes.
create index api_keys_by_change on api_keys (updated_at);

alter table api_keys enable row level security, force row level security;
create policy own_store on api_keys to accounts
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy every_store on api_keys for select to accounts_system using (true);
create policy use_of_every_store on api_keys for update to accounts_system using (true) with check (true);
grant select, insert, update on api_keys to accounts;
grant select (id, store_id, last_used_at), update (last_used_at) on api_keys to accounts_system;

-- The ids of keys that are gone. A poll looks back less than a day.
create table deleted_api_keys (
  id text primary key,
  deleted_at timestamptz(3) not null
);
create index deleted_api_keys_by_time on deleted_api_keys (deleted_at);
alter table deleted_api_keys enable row level security, force row level security;

-- The gateway checks keys itself, before their store is known, so a request waits for no other process. Over the same
-- connections it shows the store of a request. It cannot write.
grant usage on schema accounts to gateway_system;
create policy system on stores for select to gateway_system using (true);
create policy system on api_keys for select to gateway_system using (true);
create policy system on deleted_api_keys for select to gateway_system using (true);
grant select (id, name, tier, timezone, locale, country, rate_limit, created_at, updated_at) on stores to gateway_system;
grant select (id, store_id, key_hash, scopes, updated_at, expires_at, revoked_at) on api_keys to gateway_system;
grant select (id, deleted_at) on deleted_api_keys to gateway_system;

-- The key cache of each gateway polls for changes by time. These triggers let it also notice what an operator changes
-- or deletes in SQL. A statement that sets updated_at itself keeps its value.
create function touch() returns trigger language plpgsql as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end $$;
create trigger touch before update of id, store_id, key_hash, scopes, expires_at, revoked_at on api_keys
  for each row when (new.updated_at = old.updated_at) execute function touch();
create trigger touch before update of tier, rate_limit on stores
  for each row when (new.updated_at = old.updated_at) execute function touch();
create trigger touch_country before update of timezone, locale, country on stores
  for each row when (new.updated_at = old.updated_at) execute function touch();

-- Only an administrator may delete keys, and row-level security does not bind an administrator.
create function record_deletion() returns trigger language plpgsql set search_path from current as $$
begin
  delete from deleted_api_keys where deleted_at < now() - interval '1 day';
  insert into deleted_api_keys (id, deleted_at) values (old.id, clock_timestamp())
  on conflict (id) do update set deleted_at = excluded.deleted_at;
  return null;
end $$;
create trigger record_deletion after delete on api_keys for each row execute function record_deletion();
create trigger record_new_id after update of id on api_keys
  for each row when (new.id <> old.id) execute function record_deletion();

-- People ---------------------------------------------------------------------------------------------------------------

-- The tables of people and of their ways in are for the system role: a login link and a session are looked up by their
-- id, before the store is known. A person may belong to several stores.

create table users (
  id uuid primary key default uuidv7(),
  -- As it was written. Compared without regard to case.
  email text not null check (char_length(email) between 3 and 254),
  name text not null check (char_length(name) between 1 and 200),
  created_at timestamptz(3) not null default now(),
  disabled_at timestamptz(3)
);
create unique index users_email on users (lower(email));
alter table users enable row level security, force row level security;
create policy every_store on users to accounts_system using (true) with check (true);
grant select, insert, update (name, disabled_at) on users to accounts_system;

create table memberships (
  store_id uuid not null references stores (id),
  user_id uuid not null references users (id),
  role text not null check (role in ('owner', 'manager', 'seller')),
  -- The seller in crm who this person is.
  seller_id uuid,
  -- A store names its people itself, and does not see how another store names them. Null: the name in `users`.
  name text,
  created_at timestamptz(3) not null default now(),
  -- Since when the person's account at the OpenID provider opens this store. Null: it does not. What a password or passkey
  -- opens stands in `credential_stores`, because the holder of a link may have set it.
  confirmed_at timestamptz(3),
  -- Since when no way leads into the store: the person was disabled. Null: none was ended, or the person has opened a
  -- new link or was invited again since.
  access_ended_at timestamptz(3),
  primary key (store_id, user_id),
  check (role <> 'seller' or seller_id is not null)
);
create index memberships_of_user on memberships (user_id);
alter table memberships enable row level security, force row level security;
create policy every_store on memberships to accounts_system using (true) with check (true);
grant select, insert, delete, update (role, seller_id, name, confirmed_at, access_ended_at)
  on memberships to accounts_system;

-- Ways in --------------------------------------------------------------------------------------------------------------

-- A link opens one session, once.
create table login_links (
  -- The part of the token that is not secret.
  id text primary key,
  store_id uuid not null,
  user_id uuid not null,
  -- SHA-256 of the whole token; the token itself is stored nowhere.
  token_hash bytea not null check (octet_length(token_hash) = 32),
  -- Where the session that the link opens may go. `store`: only to its store, as with a link of an owner. `all`: to all
  -- stores of the person, as with a link of the operator.
  reach text not null default 'store',
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  foreign key (store_id, user_id) references memberships (store_id, user_id) on delete cascade
);
create index login_links_of_user on login_links (user_id);
create index login_links_expiry on login_links (expires_at);
alter table login_links enable row level security, force row level security;
create policy every_store on login_links to accounts_system using (true) with check (true);
-- Rows are deleted when they are long over.
grant select, insert, delete, update (used_at) on login_links to accounts_system;

create table sessions (
  id text primary key,
  store_id uuid not null,
  user_id uuid not null,
  token_hash bytea not null check (octet_length(token_hash) = 32),
  -- As in `login_links`, and `joined`: to the stores that the person's own password or passkeys open.
  reach text not null default 'store',
  -- `link`, `password`, `passkey` or `oidc`.
  opened_by text not null default 'link',
  -- The passkey that opened the session. Null: another way.
  passkey_id uuid,
  created_at timestamptz(3) not null default now(),
  -- When the person proved who they are, which a change of the store keeps. Null: when the session was made.
  signed_in_at timestamptz(3),
  -- Written at most once a minute.
  last_seen_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3),
  -- From where it was opened, so that a person recognizes it.
  address text not null,
  agent text check (char_length(agent) <= 300),
  foreign key (store_id, user_id) references memberships (store_id, user_id) on delete cascade
) with (fillfactor = 80);
create index sessions_of_user on sessions (user_id, created_at);
create index sessions_expiry on sessions (expires_at);
alter table sessions enable row level security, force row level security;
create policy every_store on sessions to accounts_system using (true) with check (true);
-- A person who sets a password or a passkey in a session has it, which changes how the session counts as opened.
grant select, insert, delete, update (last_seen_at, ended_at, opened_by, reach, passkey_id) on sessions to accounts_system;

create table passwords (
  user_id uuid primary key references users (id),
  -- In the PHC format: `$argon2id$v=19$m=…,t=…,p=…$<salt>$<hash>`.
  hash text not null,
  changed_at timestamptz(3) not null default clock_timestamp()
);
alter table passwords enable row level security, force row level security;
create policy every_person on passwords to accounts_system using (true) with check (true);
grant select, insert, update, delete on passwords to accounts_system;

-- The attempts to sign in with a password of the last minutes, also for an account that does not exist.
create table password_attempts (
  -- SHA-256 of the email address in lower case.
  account bytea primary key check (octet_length(account) = 32),
  since timestamptz(3) not null default clock_timestamp(),
  attempts integer not null default 1
) with (fillfactor = 80);
create index password_attempts_since on password_attempts (since);
alter table password_attempts enable row level security, force row level security;
create policy every_account on password_attempts to accounts_system using (true) with check (true);
grant select, insert, update, delete on password_attempts to accounts_system;

create table passkeys (
  id uuid primary key default uuidv7(),
  user_id uuid not null references users (id),
  -- The authenticator's own id, base64url.
  credential_id text not null unique,
  public_key bytea not null,
  -- Rises with each use, unless it stays zero. A lower one is a copy.
  counter bigint not null,
  transports text[] not null,
  synced boolean not null,
  name text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  last_used_at timestamptz(3)
);
create index passkeys_of_user on passkeys (user_id);
alter table passkeys enable row level security, force row level security;
create policy every_person on passkeys to accounts_system using (true) with check (true);
grant select, insert, delete, update (name, counter, synced, last_used_at) on passkeys to accounts_system;

-- What a passkey must sign. Deleted by its use.
create table passkey_challenges (
  challenge text primary key,
  -- The session that makes a passkey. Null: a person signs in.
  session_id text,
  -- Whether the person proved who they are. False: they had nothing to prove it with.
  proved boolean not null default false,
  -- Whether the person gave their password to make the passkey, which then opens what the password opens. False: the
  -- session was proof enough.
  by_password boolean not null default false,
  expires_at timestamptz(3) not null
);
create index passkey_challenges_expiry on passkey_challenges (expires_at);
alter table passkey_challenges enable row level security, force row level security;
create policy every_challenge on passkey_challenges to accounts_system using (true) with check (true);
grant select, insert, delete on passkey_challenges to accounts_system;

-- Which stores a password or a passkey opens. It opens another one only after its person proved in a session of that
-- store that they have it, so what the owner of one store set or made opens no other store.
create table credential_stores (
  store_id uuid not null,
  user_id uuid not null,
  -- Null: the password of the person.
  passkey_id uuid references passkeys (id) on delete cascade,
  joined_at timestamptz(3) not null default clock_timestamp(),
  foreign key (store_id, user_id) references memberships (store_id, user_id) on delete cascade,
  unique nulls not distinct (store_id, user_id, passkey_id)
);
create index credential_stores_of_user on credential_stores (user_id);
create index credential_stores_of_passkey on credential_stores (passkey_id);
alter table credential_stores enable row level security, force row level security;
create policy every_person on credential_stores to accounts_system using (true) with check (true);
grant select, insert, delete on credential_stores to accounts_system;

-- The account of a person at the OpenID provider. The provider's name for it (`sub`) never changes, unlike an email
-- address.
create table oidc_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references users (id),
  created_at timestamptz(3) not null default clock_timestamp(),
  last_used_at timestamptz(3) not null default clock_timestamp(),
  primary key (issuer, subject),
  -- A second account with the same address is another person, or the same one after a mishap: the operator decides.
  unique (user_id, issuer)
);
alter table oidc_identities enable row level security, force row level security;
create policy every_person on oidc_identities to accounts_system using (true) with check (true);
grant select, insert, delete, update (last_used_at) on oidc_identities to accounts_system;

-- Browsers that went to the provider. Deleted by their return.
create table oidc_attempts (
  -- SHA-256 of the token in the browser's cookie, from which everything secret of the attempt derives.
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  -- The session in which a person joins its store with their account at the provider. Null: they sign in.
  session_id text,
  expires_at timestamptz(3) not null
);
create index oidc_attempts_expiry on oidc_attempts (expires_at);
alter table oidc_attempts enable row level security, force row level security;
create policy every_attempt on oidc_attempts to accounts_system using (true) with check (true);
grant select, insert, delete on oidc_attempts to accounts_system;

-- The audit log --------------------------------------------------------------------------------------------------------

-- Who did what, on what, when, from where. Nothing changes or deletes an entry.
create table audit_log (
  store_id uuid not null references stores (id),
  id uuid not null default uuidv7(),
  at timestamptz(3) not null default clock_timestamp(),
  actor_kind text not null check (actor_kind in ('operator', 'user')),
  -- Null: the operator, with the admin command.
  actor_id uuid,
  action text not null check (action ~ '^[a-z_]+\.[a-z_]+$'),
  subject_id text not null,
  -- What else a person asked, where one id does not say it: which rows a retry or a give-up named.
  details jsonb check (jsonb_typeof(details) = 'object'),
  -- Null: the operator.
  address text,
  request_id text not null,
  primary key (store_id, id),
  check ((actor_kind = 'user') = (actor_id is not null))
);
create index audit_log_of_actor on audit_log (store_id, actor_id, id) where actor_id is not null;
create index audit_log_of_action on audit_log (store_id, action, id);
alter table audit_log enable row level security, force row level security;
create policy every_store on audit_log to accounts_system using (true) with check (true);
-- A request writes the entry of what it changes in its own store in the same transaction.
create policy own_store on audit_log for insert to accounts
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
-- An owner reads the entries of their store.
create policy own_store_is_read on audit_log for select to accounts
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert on audit_log to accounts;
grant insert on audit_log to accounts_system;

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

alter table outbox enable row level security, force row level security;
create policy store on outbox to accounts
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy relay on outbox to accounts_system using (true) with check (true);
grant insert, select on outbox to accounts;
grant select, insert, update, delete on outbox to accounts_system;

-- Stored answers by Idempotency-Key. The transaction that does the work writes its answer here.
create table idempotency_records (
  store_id uuid not null,
  -- method and concrete path: `POST /appointments`
  scope text not null,
  key text not null,
  -- SHA-256 in hex of the request's canonical body
  fingerprint text not null,
  -- the reply's bytes as they were sent
  reply bytea not null,
  etag text,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null default now() + interval '24 hours',
  primary key (store_id, scope, key)
) with (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 500
);
create index idempotency_records_expiry on idempotency_records (expires_at);

alter table idempotency_records enable row level security, force row level security;
create policy store on idempotency_records to accounts
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy purge on idempotency_records to accounts_system using (true);
grant select, insert, update on idempotency_records to accounts;
grant select, delete on idempotency_records to accounts_system;
