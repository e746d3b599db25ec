-- contract
-- channels_due_to_sync replaces it. A drop takes no time, and gives up after 2 s without the lock.
-- squawk-ignore require-concurrent-index-deletion
drop index channels_to_sync;
