-- Stores and their API keys come from the schema of the gateway, with their rows, indexes, triggers and policies: no row
-- is copied. Only an administrator can change the owner of a table, so `infra/postgres/take-over.ts` made this function.
-- In the schema of the gateway it leaves views, through which the previous version reads and writes as before.
select take_over_stores_and_keys();
drop function take_over_stores_and_keys();

create policy own_store on stores to accounts
  using (id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy every_store on stores for select to accounts_system using (true);

create policy own_store on api_keys to accounts
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
-- A key is looked up before its store is known.
create policy every_store on api_keys for select to accounts_system using (true);
create policy use_of_every_store on api_keys for update to accounts_system using (true) with check (true);

grant select, insert, update on stores, api_keys to accounts;
grant select on stores to accounts_system;
grant select (id, store_id, last_used_at), update (last_used_at) on api_keys to accounts_system;

-- The gateway checks keys itself, so that a request waits for no other process.
grant usage on schema accounts to gateway, gateway_system;
