-- no-transaction
-- The watch that a notice is about.
create index concurrently if not exists calendar_watches_by_channel on calendar_watches (channel_token_hash)
  where channel_token_hash is not null;
