-- A webhook body that is posted again is stored once.
alter table inbound_payloads
  -- SHA-256 of the payload; null when the previous version stored it.
  add column payload_hash bytea;
