-- In a transaction of its own, because the one that added the rule locks the table. This one blocks no reads and writes.
alter table calendar_syncs validate constraint calendar_syncs_state_check;
