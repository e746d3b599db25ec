-- What the store's own systems know of an appointment.
alter table appointments add column metadata jsonb not null default '{}';
