-- no-transaction
create index concurrently if not exists channels_to_sync on channels (next_template_sync_at nulls first)
  where disconnected_at is null and (provider = 'sandbox' or business_account_id is not null);
