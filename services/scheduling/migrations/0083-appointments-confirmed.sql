-- no-transaction
create index concurrently if not exists appointments_confirmed on appointments (store_id, scheduled_at, id)
  where confirmed_at is not null;
