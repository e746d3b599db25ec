-- no-transaction
create index concurrently if not exists audit_log_of_action on audit_log (store_id, action, id);
