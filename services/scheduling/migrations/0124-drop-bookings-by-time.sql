-- no-transaction
-- `bookings_by_span` begins with the same columns.
drop index concurrently if exists bookings_by_time;
