-- no-transaction
create unique index concurrently if not exists leads_external_id on leads (store_id, external_id)
  where external_id is not null;
