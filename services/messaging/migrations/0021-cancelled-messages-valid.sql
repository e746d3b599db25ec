-- no-transaction
alter table messages validate constraint messages_status_check;
