-- no-transaction
create index concurrently if not exists leads_by_email on leads (store_id, email_key) where email_key is not null;
