-- Triggers, so that the previous version writes the changes, too. An update that moves no row to another group fires none.
create trigger count_changed after insert or delete on agents for each row execute function count_agents();
create trigger count_moved after update on agents for each row
  when (old.is_active is distinct from new.is_active) execute function count_agents();
