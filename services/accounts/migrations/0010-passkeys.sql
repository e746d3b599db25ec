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

-- What a passkey is to sign. Deleted by its use.
create table passkey_challenges (
  challenge text primary key,
  -- The session that makes a passkey. Null: somebody signs in.
  session_id text,
  -- Whether the person proved who they are. False: they had nothing to prove it with.
  proved boolean not null default false,
  expires_at timestamptz(3) not null
);
create index passkey_challenges_expiry on passkey_challenges (expires_at);

alter table passkeys enable row level security;
alter table passkeys force row level security;
alter table passkey_challenges enable row level security;
alter table passkey_challenges force row level security;
create policy every_person on passkeys to accounts_system using (true) with check (true);
create policy every_challenge on passkey_challenges to accounts_system using (true) with check (true);
grant select, insert, delete on passkeys, passkey_challenges to accounts_system;
grant update (name, counter, synced, last_used_at) on passkeys to accounts_system;
