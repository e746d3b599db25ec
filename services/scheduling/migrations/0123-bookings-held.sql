-- no-transaction
-- The holds of a store: each booking first deletes those that have expired.
create index concurrently if not exists bookings_held on bookings (store_id, expires_at) where expires_at is not null;
