-- When the messages of the lead are next read for an answer to this reminder, so that a lost notice loses no confirmation.
-- Null: nothing is asked, or it is answered. The previous version leaves it null.
alter table followups add column answer_check_at timestamptz;
grant select (answer_check_at, appointment_id, first_attempt_at, reminder_start), update (answer_check_at) on followups
  to scheduling_system;
grant select (status, scheduled_at, confirmed_at) on appointments to scheduling_system;
