-- In a transaction of its own, because the one that added the rule locks the table. This one blocks no reads and writes.
alter table messages validate constraint messages_status_check;
