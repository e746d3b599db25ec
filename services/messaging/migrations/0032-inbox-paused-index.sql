-- no-transaction
create index concurrently if not exists conversations_paused
  on conversations (store_id, last_message_at, lead_id) where ai_paused_until is not null and last_message_at is not null and lead_version is not null;
