-- no-transaction
-- What is due in all shards, the longest due first.
create index concurrently if not exists messages_overdue on messages (coalesce(lease_until, next_attempt_at, created_at))
  where coalesce(status in ('queued', 'sending'), false) and number > 0;
