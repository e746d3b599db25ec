-- no-transaction
create index concurrently if not exists appointments_by_service on appointments (store_id, service_id, scheduled_at, id)
  where service_id is not null;
