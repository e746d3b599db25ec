-- no-transaction
create index concurrently if not exists messages_priced_by_moment on messages (store_id, priced_at)
  where priced_at is not null;
