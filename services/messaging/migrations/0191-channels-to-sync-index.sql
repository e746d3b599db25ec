-- no-transaction
-- Every channel is synchronized, also one whose account is not known. It replaces channels_to_sync.
create index concurrently if not exists channels_due_to_sync on channels (next_template_sync_at nulls first)
  where disconnected_at is null;
