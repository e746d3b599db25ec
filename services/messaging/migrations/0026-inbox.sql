-- What the inbox lists of a conversation: facts of its messages, and a copy of its lead. Constant defaults rewrite nothing.
alter table conversations
  -- When its last message was accepted or received.
  add column last_message_at timestamptz(3),
  -- Its last message that is not cancelled is inbound.
  add column is_unanswered boolean not null default false,
  -- Its last outbound message that is not cancelled is `failed` or `unknown`.
  add column needs_attention boolean not null default false,
  -- The store has read up to this message. Null in a row from before this column: it has read all.
  add column read_number bigint,
  -- Inbound messages after `read_number`.
  add column unread_count integer not null default 0,
  -- `next_number` when the five columns above were last right. A process of the previous version leaves it behind.
  add column counted_next bigint not null default 1,
  -- The lead as crm had it in this version. Null: not known yet.
  add column lead_version integer,
  add column lead_name text,
  add column lead_phone text,
  add column lead_status text,
  add column seller_id uuid,
  add column ai_paused_until timestamptz(3);
-- As a statement of its own, the default is for new rows only.
alter table conversations alter column read_number set default 0;

-- The job that catches up looks at every store.
grant select (next_number, counted_next, lead_version) on conversations to messaging_system;

-- A trigger, so that the previous version tells of its changes, too. Such a change is rare. Every change of a status is
-- made under the conversation's lock.
create function note_trouble() returns trigger
language plpgsql
set search_path = pg_catalog, messaging, pg_temp
as $$
begin
  update conversations c
  set is_unanswered = coalesce((
        select m.direction = 'inbound' from messages m
        where m.store_id = new.store_id and m.lead_id = new.lead_id and m.status <> 'cancelled'
        order by m.number desc limit 1), false),
      needs_attention = coalesce((
        select m.status in ('failed', 'unknown') from messages m
        where m.store_id = new.store_id and m.lead_id = new.lead_id and m.status <> 'cancelled'
          and m.direction = 'outbound'
        order by m.number desc limit 1), false)
  where c.store_id = new.store_id and c.lead_id = new.lead_id;
  return null;
end
$$;
create trigger note_trouble after update of status on messages for each row
  when (old.status is distinct from new.status
    and (old.status in ('unknown', 'failed', 'cancelled') or new.status in ('unknown', 'failed', 'cancelled')))
  execute function note_trouble();
revoke execute on function note_trouble from public;
grant execute on function note_trouble to messaging;
