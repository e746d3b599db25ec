-- A lead waits for an answer until it gets an answer, or a request closes the session. A session that ends by itself is no answer.

-- When a request closed the session, or closed it after it had ended. Null: no request did.
alter table sessions add column closed_at timestamptz(3);

-- When the lead wrote the first message that waits for an answer. Null: none waits. An answer is a message to the lead that
-- is not cancelled, or the close of the session of a later message.
create function first_waiting(store uuid, lead uuid) returns timestamptz
language sql stable parallel safe
return (
  select m.created_at from messages m
  where m.store_id = store and m.lead_id = lead and m.direction = 'inbound'
    and m.number > coalesce((
      select answered.number from messages answered
      where answered.store_id = store and answered.lead_id = lead
        and ((answered.direction = 'outbound' and answered.status <> 'cancelled') or exists (
          select from sessions s
          where s.store_id = store and s.id = answered.session_id and s.closed_at is not null))
      order by answered.number desc limit 1), 0)
  order by m.number limit 1);
revoke execute on function first_waiting from public;
grant execute on function first_waiting to messaging;

-- As before, with the rule above.
create or replace function note_trouble() returns trigger
language plpgsql
set search_path = pg_catalog, messaging, pg_temp
as $$
declare
  since timestamptz := first_waiting(new.store_id, new.lead_id);
begin
  update conversations c
  set is_unanswered = since is not null,
      waiting_since = since,
      needs_attention = coalesce((
        select m.status in ('failed', 'unknown') from messages m
        where m.store_id = new.store_id and m.lead_id = new.lead_id and m.status <> 'cancelled'
          and m.direction = 'outbound'
        order by m.number desc limit 1), false)
  where c.store_id = new.store_id and c.lead_id = new.lead_id;
  return null;
end
$$;
