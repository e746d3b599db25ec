-- no-transaction
-- No query uses the ranges any more. The previous version read all busy times of the store by it, and reads them by another one.
drop index concurrently if exists calendar_busy_times_by_time;
