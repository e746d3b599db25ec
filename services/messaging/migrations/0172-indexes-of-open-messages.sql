-- contract
-- messages_of_shard and messages_overdue replace them, and messages_queue has what is of one store. A drop takes no time,
-- and gives up after 2 s without the lock.
-- squawk-ignore require-concurrent-index-deletion
drop index messages_by_shard, messages_due, messages_waiting;
