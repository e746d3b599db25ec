-- no-transaction
-- What is due in a shard, store by store.
create index concurrently if not exists messages_by_shard
  on messages ((get_byte(uuid_send(store_id), 15) % 32), store_id, coalesce(lease_until, next_attempt_at, created_at))
  where status in ('queued', 'sending');
