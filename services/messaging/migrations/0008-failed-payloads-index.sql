-- no-transaction
create index concurrently if not exists inbound_payloads_failed on inbound_payloads (store_id, failed_at)
  where failed_at is not null;
