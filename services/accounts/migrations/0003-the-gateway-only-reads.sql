-- contract
-- The gateway keeps what it needs to check a key and to show a store, and cannot write.
revoke all on stores, api_keys, deleted_api_keys from gateway, gateway_system;
drop policy store on stores;
drop policy store on api_keys;
drop policy system_use on api_keys;

-- For a request: its own store.
create policy of_the_request on stores for select to gateway
  using (id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select (id, name, tier, timezone, locale, country, created_at, updated_at) on stores to gateway;

-- For the check of a key, before its store is known.
grant select (id, tier, timezone, locale, country, rate_limit, updated_at) on stores to gateway_system;
grant select (id, store_id, key_hash, scopes, updated_at, expires_at, revoked_at) on api_keys to gateway_system;
grant select (id, deleted_at) on deleted_api_keys to gateway_system;
