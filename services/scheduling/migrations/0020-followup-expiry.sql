-- Follow-ups expire, and know the appointment that they are about and data of the store's own systems.
alter table followups
  -- From this moment on it is not sent. Null: it does not expire.
  add column expires_at timestamptz(3),
  -- An appointment of the store. No appointment is ever deleted, so a check when it is written is enough.
  add column appointment_id uuid,
  -- What the store's own systems know of a follow-up.
  add column metadata jsonb not null default '{}';

alter table followups drop constraint followups_cancel_reason_check;
alter table followups add constraint followups_cancel_reason_check check (
  cancel_reason in ('api', 'lead_replied', 'appointment_booked', 'opted_out', 'lead_deleted', 'expired')) not valid;
