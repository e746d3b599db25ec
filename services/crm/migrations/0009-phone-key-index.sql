-- no-transaction
create unique index concurrently if not exists leads_phone_key on leads (store_id, phone_key)
  where phone_key is not null;
