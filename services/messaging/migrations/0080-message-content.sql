-- What a message is beside its text, and the message that it answers. The previous version writes none of them.
alter table messages
  add column content jsonb,
  add column media jsonb,
  add column reply_to_id uuid;
