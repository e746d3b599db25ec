-- no-transaction
create index concurrently if not exists conversations_pause_unreported on conversations (store_id, lead_id)
  where reported_pause_version < ai_pause_version;
