-- When the lead wrote the first message that has had no answer since. Null: nothing waits, or it is not known yet, and the
-- last message counts.
alter table conversations add column waiting_since timestamptz(3);

-- The trigger of 0026-inbox.sql keeps the new column, too.
create or replace function note_trouble() returns trigger
language plpgsql
set search_path = pg_catalog, messaging, pg_temp
as $$
begin
  update conversations c
  set is_unanswered = coalesce((
        select m.direction = 'inbound' from messages m
        where m.store_id = new.store_id and m.lead_id = new.lead_id and m.status <> 'cancelled'
        order by m.number desc limit 1), false),
      waiting_since = (
        select m.created_at from messages m
        where m.store_id = new.store_id and m.lead_id = new.lead_id and m.direction = 'inbound'
          and m.number > coalesce((
            select o.number from messages o
            where o.store_id = new.store_id and o.lead_id = new.lead_id and o.status <> 'cancelled'
              and o.direction = 'outbound'
            order by o.number desc limit 1), 0)
        order by m.number limit 1),
      needs_attention = coalesce((
        select m.status in ('failed', 'unknown') from messages m
        where m.store_id = new.store_id and m.lead_id = new.lead_id and m.status <> 'cancelled'
          and m.direction = 'outbound'
        order by m.number desc limit 1), false)
  where c.store_id = new.store_id and c.lead_id = new.lead_id;
  return null;
end
$$;
