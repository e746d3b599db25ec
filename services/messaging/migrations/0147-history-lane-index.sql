-- no-transaction
create index concurrently if not exists inbound_payloads_open_history on inbound_payloads (id)
  where processed_at is null and is_history;
