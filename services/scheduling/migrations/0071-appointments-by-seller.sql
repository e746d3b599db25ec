-- no-transaction
create index concurrently if not exists appointments_by_seller on appointments (store_id, seller_id, scheduled_at, id)
  where seller_id is not null;
