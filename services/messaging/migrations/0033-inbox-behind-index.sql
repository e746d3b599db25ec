-- no-transaction
-- By `counted_next`, because no other index has this order: the planner takes the rows for many, and would read the table.
create index concurrently if not exists conversations_behind on conversations (store_id, counted_next, lead_id)
  where next_number > 1 and (counted_next < next_number or lead_version is null);
