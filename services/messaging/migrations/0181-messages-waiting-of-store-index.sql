-- no-transaction
-- What waits in a store, the longest waiting first. The predicate is only that of its own statements, as in 0170.
create index concurrently if not exists messages_waiting_of_store on messages (store_id, created_at, id)
  where coalesce(status in ('queued', 'sending', 'unknown'), false);
