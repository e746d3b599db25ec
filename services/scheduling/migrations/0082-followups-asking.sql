-- no-transaction
-- The latest question that a lead was asked.
create index concurrently if not exists followups_asking on followups (store_id, lead_id, first_attempt_at)
  where asks_confirmation and status in ('sending', 'sent');
