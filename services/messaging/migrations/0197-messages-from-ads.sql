-- no-transaction
-- For the report of who came from which ad.
create index concurrently if not exists messages_from_ads on messages (store_id, created_at)
  where direction = 'inbound' and content ? 'referral';
