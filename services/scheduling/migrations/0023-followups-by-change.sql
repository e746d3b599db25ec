-- no-transaction
create index concurrently if not exists followups_by_change on followups (store_id, updated_at);
