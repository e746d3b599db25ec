-- The id of a person in a store, as everybody outside this schema knows it. Two stores know one person by two ids, and
-- neither id tells when another store invited them, as the id in `users` does. It stays when the person leaves the store,
-- because the audit log has it. The random bits of `users.id`, which nothing shows, make it impossible to guess.
create function person_id(store uuid, person uuid) returns uuid language sql immutable parallel safe
  return overlay(
    overlay(left(encode(sha256(uuid_send(store) || uuid_send(person)), 'hex'), 32) placing '8' from 13)
    placing '8' from 17)::uuid;

-- Removing or disabling a person may revoke the API keys that they created, in the same transaction.
grant select (name, scopes, created_at, expires_at, revoked_at), update (revoked_at, updated_at) on api_keys
  to accounts_system;
-- A revocation is final, also for the role that may now revoke keys of every store.
create function keep_revoked() returns trigger language plpgsql as $$
begin
  raise exception 'a revoked key stays revoked' using errcode = 'check_violation';
end $$;
create trigger keep_revoked before update of revoked_at on api_keys
  for each row when (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at)
  execute function keep_revoked();
-- The audit log says who created a key.
grant select on audit_log to accounts_system;

-- The transaction of a request that creates a key asks whether its person is still an owner.
grant select (store_id, user_id, role) on memberships to accounts;
create policy own_store on memberships for select to accounts
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select (id, disabled_at) on users to accounts;
create policy own_store on users for select to accounts
  using (exists (
    select from memberships m
    where m.user_id = users.id
      and m.store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid)));

-- Webhook endpoints to pause, because the person who created them left. The events service has the endpoints, and the row
-- stays until it has paused them.
create table endpoint_pauses (
  id uuid primary key default uuidv7(),
  store_id uuid not null references stores (id),
  -- As `person_id` has it.
  person_id uuid not null,
  -- All API keys that the person created: an endpoint may be theirs through a key.
  key_ids text[] not null,
  -- Who asked, for the audit log. Null: the operator.
  actor_id uuid,
  address text,
  request_id text not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
alter table endpoint_pauses enable row level security, force row level security;
create policy every_store on endpoint_pauses to accounts_system using (true) with check (true);
-- `update`: for the lock of a row.
grant select, insert, update, delete on endpoint_pauses to accounts_system;
