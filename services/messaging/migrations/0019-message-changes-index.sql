-- no-transaction
-- `case` and not `coalesce`, which PostgreSQL does not know to be leakproof: row-level security would keep it from the index.
create index concurrently if not exists messages_by_status_and_change
  on messages (store_id, status, (case when updated_at is null then created_at else updated_at end), id);
