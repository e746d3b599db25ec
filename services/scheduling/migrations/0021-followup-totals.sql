-- Triggers, so that the previous version writes the changes, too. An update that moves no row to another group fires none.
create trigger count_added after insert on followups referencing new table as added
  for each statement execute function count_rows('followups');
create trigger count_removed after delete on followups referencing old table as removed
  for each statement execute function count_rows('followups');
create trigger count_moved after update on followups for each row
  when (old.status is distinct from new.status) execute function count_rows('followups');
