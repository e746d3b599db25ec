-- The effects that a person of the store confirms before they are made.
alter table store_settings
  add column ai_confirm text[] not null default '{}'
    check (ai_confirm <@ '{book,move,cancel,schedule_followup,update_lead}'::text[]);

-- The message that tells the lead what a person has confirmed. Written when they do, so that a repeat sends it once.
alter table ai_turns add column confirmation_id uuid;
