-- no-transaction
create index concurrently if not exists leads_opted_out_by_creation on leads (store_id, created_at, id)
  where opted_out_at is not null;
