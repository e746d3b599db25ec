-- no-transaction
-- The stores whose calendar could not be read.
create index concurrently if not exists calendar_watches_failing on calendar_watches (store_id)
  where last_error_code is not null;
