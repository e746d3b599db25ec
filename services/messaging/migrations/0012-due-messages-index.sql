-- no-transaction
create index concurrently if not exists messages_due
  on messages (coalesce(lease_until, next_attempt_at, created_at)) where status in ('queued', 'sending');
