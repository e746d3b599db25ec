-- Messages that come together are stored by one statement, which counts them together, too.

create function count_added() returns trigger
language plpgsql
set search_path = pg_catalog, messaging, pg_temp
as $$
begin
  insert into list_total_changes (store_id, list, status, change)
  select store_id, tg_argv[0], status, count(*) from added group by store_id, status;
  return null;
end
$$;
revoke execute on function count_added from public;
grant execute on function count_added to messaging;

drop trigger count_row on messages;
create trigger count_added after insert on messages referencing new table as added
  for each statement execute function count_added('messages');
create trigger count_removed after delete on messages for each row execute function count_row('messages');

-- A claim changes a payload beside the row, so that no index gets another entry.
alter table inbound_payloads set (fillfactor = 50);
