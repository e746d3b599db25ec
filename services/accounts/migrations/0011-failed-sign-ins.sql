-- A failed attempt to sign in is in the audit log, and it is not known who made it.
alter table audit_log
  drop constraint audit_log_actor_kind_check,
  add constraint audit_log_actor_kind_check check (actor_kind in ('operator', 'user', 'guest')) not valid;

-- Failed attempts to sign in of the last hour. The first from a network is in the audit log at once, and the number of
-- the others when its window ends, so that no flood fills the log.
create table failed_sign_ins (
  -- SHA-256 of whom the attempt was for: of the email address in lower case, or of the person's id. An address that no
  -- person has is counted like one that a person has.
  account bytea not null check (octet_length(account) = 32),
  method text not null,
  -- The network address. Empty: those of all networks beyond the first ones.
  address text not null,
  -- Null: no person has the email address.
  user_id uuid references users (id) on delete cascade,
  -- The stores whose audit logs have it.
  store_ids uuid[] not null,
  since timestamptz(3) not null default clock_timestamp(),
  -- How many were not yet put into the audit log.
  untold integer not null default 0,
  request_id text not null,
  primary key (account, method, address)
) with (fillfactor = 80);
create index failed_sign_ins_since on failed_sign_ins (since);
create index failed_sign_ins_of_user on failed_sign_ins (user_id);
alter table failed_sign_ins enable row level security, force row level security;
create policy every_account on failed_sign_ins to accounts_system using (true) with check (true);
grant select, insert, update, delete on failed_sign_ins to accounts_system;

-- Browsers in which a person has given their password. Each counts its wrong passwords alone, so that an attacker from
-- outside does not lock the person out. Several people may share a browser. A new password ends those of its person.
create table devices (
  -- The part of the token that is not secret.
  id text not null,
  user_id uuid not null references passwords (user_id) on delete cascade,
  -- SHA-256 of the whole token; the token itself is stored nowhere.
  token_hash bytea not null check (octet_length(token_hash) = 32),
  created_at timestamptz(3) not null default clock_timestamp(),
  last_used_at timestamptz(3) not null default clock_timestamp(),
  primary key (id, user_id)
);
create index devices_of_user on devices (user_id, last_used_at);
create index devices_by_use on devices (last_used_at);
alter table devices enable row level security, force row level security;
create policy every_person on devices to accounts_system using (true) with check (true);
grant select, insert, delete, update (last_used_at) on devices to accounts_system;
