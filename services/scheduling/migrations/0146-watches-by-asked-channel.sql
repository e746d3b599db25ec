-- no-transaction
-- The watch that a notice of a channel is about, whose answer is not recorded.
create index concurrently if not exists calendar_watches_by_asked_channel on calendar_watches (asked_channel_token_hash)
  where asked_channel_token_hash is not null;
