-- no-transaction
create index concurrently if not exists followups_by_appointment on followups (store_id, appointment_id, due_at, id)
  where appointment_id is not null;
