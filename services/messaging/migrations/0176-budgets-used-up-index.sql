-- no-transaction
create index concurrently if not exists message_budgets_used_up on message_budgets (month) where told_percent = 100;
