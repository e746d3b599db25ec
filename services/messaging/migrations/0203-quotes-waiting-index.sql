-- no-transaction
-- The messages that quote one that is not stored. It has no row of any other message.
create index concurrently if not exists messages_quoting_unknown on messages (store_id, quoted_key)
  where quoted_key is not null and reply_to_id is null;
