-- Reads the table without blocking changes.
alter table messages validate constraint messages_body_check;
