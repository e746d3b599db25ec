-- no-transaction
-- A store with bookable sellers may have few appointments without one: a list of them read the whole store.
create index concurrently if not exists appointments_without_seller on appointments (store_id, scheduled_at, id)
  where seller_id is null;
