-- no-transaction
create index concurrently if not exists conversations_unread
  on conversations (store_id, last_message_at, lead_id) where unread_count > 0 and last_message_at is not null and lead_version is not null;
