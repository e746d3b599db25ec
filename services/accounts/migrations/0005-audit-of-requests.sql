-- What a request changes in its own store is told in the same transaction, by the role for requests.
create policy own_store on audit_log for insert to accounts
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant insert on audit_log to accounts;
