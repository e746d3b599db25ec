-- no-transaction
-- The quota counts the tests of a store in the last minute.
create index concurrently if not exists webhook_deliveries_tests on webhook_deliveries (store_id, created_at)
  where sequence is null;
