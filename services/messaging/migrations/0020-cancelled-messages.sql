-- A message that was taken back while it was queued. `not valid` holds the rule for new rows without reading the others.
alter table messages
  drop constraint messages_status_check,
  add constraint messages_status_check check (
    status in ('received', 'queued', 'sending', 'unknown', 'sent', 'delivered', 'read', 'failed', 'cancelled')) not valid;
