-- no-transaction
create index concurrently if not exists audit_log_of_actor on audit_log (store_id, actor_id, id)
  where actor_id is not null;
