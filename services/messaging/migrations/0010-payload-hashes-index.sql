-- no-transaction
create unique index concurrently if not exists inbound_payloads_once on inbound_payloads (channel_id, payload_hash)
  where payload_hash is not null;
