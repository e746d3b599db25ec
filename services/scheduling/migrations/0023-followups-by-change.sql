-- no-transaction
-- The list by change, whole or filtered by statuses: it merges a page of each status.
create index concurrently if not exists followups_by_change on followups (store_id, status, updated_at, id);
