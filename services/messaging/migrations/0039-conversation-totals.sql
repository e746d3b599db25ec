-- Triggers, so that the previous version writes the changes, too. An update that moves no row to another group fires none.
-- A new conversation has no message yet.
create trigger count_added after insert on conversations for each row
  when (new.last_message_at is not null and new.lead_version is not null) execute function count_conversation();
create trigger count_removed after delete on conversations for each row
  when (old.last_message_at is not null and old.lead_version is not null) execute function count_conversation();
create trigger count_moved after update on conversations for each row
  when ((old.last_message_at is not null and old.lead_version is not null)
      is distinct from (new.last_message_at is not null and new.lead_version is not null)
    or old.lead_status is distinct from new.lead_status or old.seller_id is distinct from new.seller_id)
  execute function count_conversation();
