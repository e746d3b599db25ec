-- no-transaction
-- What customers write now is found without a look at the past that waits.
create index concurrently if not exists inbound_payloads_open_live on inbound_payloads (id)
  where processed_at is null and not is_history;
