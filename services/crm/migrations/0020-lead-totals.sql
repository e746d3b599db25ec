-- Triggers, so that the previous version writes the changes, too. An update that moves no row to another group fires none.
create trigger count_added after insert on leads referencing new table as added
  for each statement execute function count_leads();
create trigger count_removed after delete on leads referencing old table as removed
  for each statement execute function count_leads();
create trigger count_moved after update on leads for each row
  when (old.status is distinct from new.status or old.seller_id is distinct from new.seller_id)
  execute function count_leads();
