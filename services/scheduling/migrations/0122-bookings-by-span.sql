-- no-transaction
-- What is taken in a time, from the index alone: most that begin in the 48 hours before it are over by then.
create index concurrently if not exists bookings_by_span on bookings (store_id, starts_at, ends_at);
