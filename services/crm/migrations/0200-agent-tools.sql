-- What an agent may use. The previous version writes agents that may use everything.
alter table agents
  add column tools text[] not null default '{find_times,book,move,cancel,schedule_followup,update_lead}'
    check (tools <@ '{find_times,book,move,cancel,schedule_followup,update_lead}'::text[]);
