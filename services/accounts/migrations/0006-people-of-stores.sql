-- A store names its people itself: how another store names them is not its business. Null: as the person was first named.
alter table memberships add column name text;

-- Where the holder of a link, and of the session that it opens, may go. `store`: only to its store, as with what an owner
-- makes. `all`: to all stores of the person, as with what the operator makes for them. `joined`: to the stores that the
-- person's own password or passkeys open.
alter table login_links add column reach text not null default 'store';
alter table sessions add column reach text not null default 'store';

grant update (name), delete on memberships to accounts_system;

-- An owner reads the entries of their store.
create policy own_store_is_read on audit_log for select to accounts
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select on audit_log to accounts;
