-- Which stores a password or a passkey opens. It opens another one only after its person proved in a session of that store
-- that they have it, so what one store's owner set or made opens no other store.
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

-- Until now every password and passkey of a person opened each store that they had joined. The row-level security of the
-- tables binds their owner too, so it is off while their rows are copied, within this transaction.
alter table memberships no force row level security;
alter table passwords no force row level security;
alter table passkeys no force row level security;
insert into credential_stores (store_id, user_id, passkey_id, joined_at)
  select m.store_id, m.user_id, null, m.joined_at from memberships m join passwords p on p.user_id = m.user_id
  where m.joined_at is not null;
insert into credential_stores (store_id, user_id, passkey_id, joined_at)
  select m.store_id, m.user_id, p.id, m.joined_at from memberships m join passkeys p on p.user_id = m.user_id
  where m.joined_at is not null;
alter table memberships force row level security;
alter table passwords force row level security;
alter table passkeys force row level security;

alter table credential_stores enable row level security;
alter table credential_stores force row level security;
create policy every_person on credential_stores to accounts_system using (true) with check (true);
grant select, insert, delete on credential_stores to accounts_system;

-- The passkey that opened the session. Null: another way, or before this version.
alter table sessions add column passkey_id uuid;
grant update (passkey_id) on sessions to accounts_system;

-- Whether the person gave their password to make the passkey, which then opens what the password opens. False: the session
-- was proof enough.
alter table passkey_challenges add column by_password boolean not null default false;

-- Since when no way leads into the store: the person was disabled. Null: none was ended, or the person has opened a new link
-- or was invited again since.
alter table memberships add column access_ended_at timestamptz(3);
grant update (access_ended_at) on memberships to accounts_system;

-- The session in which a person joins its store with their account at the OpenID provider. Null: they sign in.
alter table oidc_attempts add column session_id text;
