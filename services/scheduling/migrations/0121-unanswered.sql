-- no-transaction
-- The reminders whose answers are to be looked for, the most overdue first.
create index concurrently if not exists followups_unanswered on followups (answer_check_at)
  where answer_check_at is not null;
