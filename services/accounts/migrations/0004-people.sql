-- The people who work in stores. A person may belong to several stores. What the system role reads and writes here is
-- needed before the store is known: a login link and a session are looked up by their id.
create table users (
  id uuid primary key default uuidv7(),
  -- As it was written. Compared without regard to case.
  email text not null check (char_length(email) between 3 and 254),
  name text not null check (char_length(name) between 1 and 200),
  created_at timestamptz(3) not null default now(),
  disabled_at timestamptz(3)
);
create unique index users_email on users (lower(email));

create table memberships (
  store_id uuid not null references stores (id),
  user_id uuid not null references users (id),
  role text not null check (role in ('owner', 'manager', 'seller')),
  -- The seller in crm who this person is.
  seller_id uuid,
  created_at timestamptz(3) not null default now(),
  primary key (store_id, user_id),
  check (role <> 'seller' or seller_id is not null)
);
create index memberships_of_user on memberships (user_id);

-- A link opens one session, once.
create table login_links (
  -- The part of the token that is not secret.
  id text primary key,
  store_id uuid not null,
  user_id uuid not null,
  -- SHA-256 of the whole token; the token itself is stored nowhere.
  token_hash bytea not null check (octet_length(token_hash) = 32),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  foreign key (store_id, user_id) references memberships (store_id, user_id) on delete cascade
);
create index login_links_of_user on login_links (user_id);
create index login_links_expiry on login_links (expires_at);

create table sessions (
  id text primary key,
  store_id uuid not null,
  user_id uuid not null,
  token_hash bytea not null check (octet_length(token_hash) = 32),
  created_at timestamptz(3) not null default now(),
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
  -- Null: the operator.
  address text,
  request_id text not null,
  primary key (store_id, id),
  check ((actor_kind = 'user') = (actor_id is not null))
);

alter table users enable row level security;
alter table users force row level security;
alter table memberships enable row level security;
alter table memberships force row level security;
alter table login_links enable row level security;
alter table login_links force row level security;
alter table sessions enable row level security;
alter table sessions force row level security;
alter table audit_log enable row level security;
alter table audit_log force row level security;

create policy every_store on users to accounts_system using (true) with check (true);
create policy every_store on memberships to accounts_system using (true) with check (true);
create policy every_store on login_links to accounts_system using (true) with check (true);
create policy every_store on sessions to accounts_system using (true) with check (true);
create policy every_store on audit_log to accounts_system using (true) with check (true);

grant select, insert on users, memberships, login_links, sessions to accounts_system;
grant update (name, disabled_at) on users to accounts_system;
grant update (role, seller_id) on memberships to accounts_system;
grant update (used_at) on login_links to accounts_system;
grant update (last_seen_at, ended_at) on sessions to accounts_system;
-- When they are long over.
grant delete on login_links, sessions to accounts_system;
grant insert on audit_log to accounts_system;
