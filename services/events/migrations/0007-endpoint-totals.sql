-- Triggers, so that the previous version writes the changes, too. An update that moves no row to another group fires none.
create trigger count_changed after insert or delete on webhook_endpoints
  for each row execute function count_endpoint();
create trigger count_moved after update on webhook_endpoints for each row
  when ((old.deleted_at is null) is distinct from (new.deleted_at is null)) execute function count_endpoint();
