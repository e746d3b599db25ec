-- The key cache of each gateway polls for changes by time. These triggers let it also notice what an operator changes
-- or deletes in SQL.

create function touch() returns trigger language plpgsql as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end $$;

-- A statement that sets updated_at itself keeps its value.
create trigger touch before update of id, store_id, key_hash, scopes, expires_at, revoked_at on api_keys
  for each row when (new.updated_at = old.updated_at) execute function touch();
create trigger touch before update of tier, rate_limit on stores
  for each row when (new.updated_at = old.updated_at) execute function touch();

-- The ids of keys that are gone. A poll looks back less than a day.
create table deleted_api_keys (
  id text primary key,
  deleted_at timestamptz(3) not null
);
create index deleted_api_keys_by_time on deleted_api_keys (deleted_at);
alter table deleted_api_keys enable row level security;
alter table deleted_api_keys force row level security;
create policy system on deleted_api_keys for select to gateway_system using (true);
grant select on deleted_api_keys to gateway_system;

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
