-- no-transaction
create index concurrently if not exists model_days_reached on model_days (day) where reached_at is not null;
