-- no-transaction
-- The look for events to plan walks along it.
create index concurrently if not exists webhook_endpoints_enabled on webhook_endpoints (store_id, id)
  where status = 'enabled' and deleted_at is null;
