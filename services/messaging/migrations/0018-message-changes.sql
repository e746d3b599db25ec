alter table messages
  -- When what the API shows of the message last changed. Null: not since this column exists.
  add column updated_at timestamptz(3);
-- As a statement of its own, the default is for new rows only, and rewrites nothing.
alter table messages alter column updated_at set default clock_timestamp();

-- A trigger, so that the previous version dates its changes, too: a sync must miss none of them. The clock is read inside
-- the transaction: docs/adr/0010.
create function touch() returns trigger language plpgsql as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end $$;
create trigger touch before update on messages for each row
  when (
    (old.lead_id, old.session_id, old.body, old.status, old.error_code, old.error_detail, old.provider_message_id,
      old.sent_at, old.delivered_at, old.read_at)
    is distinct from
    (new.lead_id, new.session_id, new.body, new.status, new.error_code, new.error_detail, new.provider_message_id,
      new.sent_at, new.delivered_at, new.read_at))
  execute function touch();
