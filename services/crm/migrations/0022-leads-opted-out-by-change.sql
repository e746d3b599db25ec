-- no-transaction
create index concurrently if not exists leads_opted_out_by_change on leads (store_id, updated_at, id)
  where opted_out_at is not null;
