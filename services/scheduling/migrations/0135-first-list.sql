-- When all of the calendar was first listed by a version that knows this column: an event that was written before then, and
-- was never in a list, was deleted before the calendar was read, and cancels no appointment.
alter table calendar_watches add column first_listed_at timestamptz;
