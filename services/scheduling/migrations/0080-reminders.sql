-- Reminders of the booking rules: follow-ups that move and end with their appointment, and may ask to confirm it.
alter table booking_rules
  -- `BookingReminder` of the contracts.
  add column reminders jsonb not null default '[]' check (jsonb_typeof(reminders) = 'array'),
  add column confirm_words text[] not null default '{1}',
  add column cancel_words text[] not null default '{2}';

alter table appointments
  -- When the customer confirmed the appointment at its present time.
  add column confirmed_at timestamptz(3);

alter table followups
  -- Only a reminder has it: which one of the rules it is, by its minutes before the appointment.
  add column reminder_minutes integer,
  -- The beginning of the appointment that it reminds of.
  add column reminder_start timestamptz(3),
  add column asks_confirmation boolean not null default false;

alter table followups drop constraint followups_cancel_reason_check;
alter table followups add constraint followups_cancel_reason_check check (
  cancel_reason in ('api', 'lead_replied', 'appointment_booked', 'opted_out', 'lead_deleted', 'expired',
                    'appointment_closed', 'appointment_moved', 'reminder_removed')) not valid;
