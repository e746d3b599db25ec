-- no-transaction
create index concurrently if not exists ai_turns_asked on ai_turns (store_id, asked_lead_id, id)
  where asked_lead_id is not null;
