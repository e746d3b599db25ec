-- no-transaction
-- What is due in a shard, store by store. The planner believes that a queue is as long as it was at the last ANALYZE, as a
-- rule empty, and then may read any index of open messages from end to end instead of looking into the right one. So each
-- of them has a predicate that only its own statements have: this one, messages_overdue, and messages_queue.
create index concurrently if not exists messages_of_shard
  on messages ((get_byte(uuid_send(store_id), 15) % 32), store_id, coalesce(lease_until, next_attempt_at, created_at))
  where coalesce(status in ('queued', 'sending'), false);
