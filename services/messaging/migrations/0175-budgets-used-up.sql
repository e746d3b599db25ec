-- The gauge counts the stores of all that have used up their budget of the month.
create policy gauge on message_budgets for select to messaging_system using (true);
grant select (store_id, month, told_percent) on message_budgets to messaging_system;
