-- Since when the person's own password and passkeys open this store. Null: only a login link opens it.
alter table memberships add column joined_at timestamptz(3);
grant update (joined_at) on memberships to accounts_system;

-- `link`, `password` or `passkey`.
alter table sessions add column opened_by text not null default 'link';
-- When the person proved who they are, which a change of the store keeps. Null: when the session was made.
alter table sessions add column signed_in_at timestamptz(3);

-- Who sets a password or a passkey in a session has it.
grant update (opened_by, reach) on sessions to accounts_system;

create table passwords (
  user_id uuid primary key references users (id),
  -- In the PHC format: `$argon2id$v=19$m=…,t=…,p=…$<salt>$<hash>`.
  hash text not null,
  changed_at timestamptz(3) not null default clock_timestamp()
);

-- The attempts to sign in with a password of the last minutes, also for an account that does not exist.
create table password_attempts (
  -- SHA-256 of the email address in lower case.
  account bytea primary key check (octet_length(account) = 32),
  since timestamptz(3) not null default clock_timestamp(),
  attempts integer not null default 1
) with (fillfactor = 80);
create index password_attempts_since on password_attempts (since);

alter table passwords enable row level security;
alter table passwords force row level security;
alter table password_attempts enable row level security;
alter table password_attempts force row level security;
create policy every_person on passwords to accounts_system using (true) with check (true);
create policy every_account on password_attempts to accounts_system using (true) with check (true);
grant select, insert, update, delete on passwords, password_attempts to accounts_system;
