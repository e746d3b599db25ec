-- no-transaction
-- Not `coalesce`, because row-level security keeps PostgreSQL from using it as a condition of an index.
create index concurrently if not exists conversations_waiting
  on conversations (store_id, (case when waiting_since is null then last_message_at else waiting_since end), lead_id)
  where is_unanswered and last_message_at is not null and lead_version is not null;
