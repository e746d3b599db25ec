-- no-transaction
create index concurrently if not exists conversations_with_trouble
  on conversations (store_id, last_message_at, lead_id) where needs_attention and last_message_at is not null and lead_version is not null;
