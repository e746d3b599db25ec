-- no-transaction
create unique index concurrently if not exists leads_channel_user_id on leads (store_id, channel_user_id)
  where channel_user_id is not null;
