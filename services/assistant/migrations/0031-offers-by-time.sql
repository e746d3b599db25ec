-- no-transaction
-- For the purge of offers whose time has passed.
create index concurrently if not exists ai_offers_by_time on ai_offers (starts_at);
