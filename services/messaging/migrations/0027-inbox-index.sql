-- no-transaction
create index concurrently if not exists conversations_by_activity
  on conversations (store_id, last_message_at, lead_id) where last_message_at is not null and lead_version is not null;
