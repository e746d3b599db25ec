-- no-transaction
-- The busy times of a span. Below row-level security only comparisons of plain columns use an index, and `&&` of ranges is
-- none: the index of ranges found all busy times of the store.
create index concurrently if not exists calendar_busy_times_by_span on calendar_busy_times (store_id, starts_at, ends_at);
