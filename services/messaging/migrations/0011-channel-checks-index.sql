-- no-transaction
create index concurrently if not exists channels_to_check on channels (next_check_at)
  where status = 'needs_attention' and disconnected_at is null;
