-- Triggers, so that the previous version writes the changes, too. An update that moves no row to another group fires none.
create trigger count_row after insert or delete on messages for each row execute function count_row('messages');
create trigger count_moved after update on messages for each row
  when (old.status is distinct from new.status) execute function count_row('messages');
