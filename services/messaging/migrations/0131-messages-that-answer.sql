-- Whether a message to the lead answers what the lead wrote. One that only says that a person will answer does not, nor one
-- that the store wrote on its telephone before the lead's last words. The previous version writes such messages as answers.
alter table messages add column answers boolean not null default true;

-- As before, without what answers nothing, and without history, which says nothing new.
create or replace function first_waiting(store uuid, lead uuid) returns timestamptz
language sql stable parallel safe
return (
  select m.created_at from messages m
  where m.store_id = store and m.lead_id = lead and m.direction = 'inbound' and not m.from_history
    and m.number > coalesce((
      select answered.number from messages answered
      where answered.store_id = store and answered.lead_id = lead
        and ((answered.direction = 'outbound' and answered.status <> 'cancelled' and answered.answers
            and not answered.from_history)
          or exists (
            select from sessions s
            where s.store_id = store and s.id = answered.session_id and s.closed_at is not null))
      order by answered.number desc limit 1), 0)
  order by m.number limit 1);
