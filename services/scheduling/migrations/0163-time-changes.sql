-- When the time or the length of an appointment last changed. Null: never, or before this column. A process of the previous
-- version does not set it.
alter table appointments add column moved_at timestamptz(3);
-- The time that the event in the calendar was given last, as its own mark says it. Null: not known.
alter table calendar_syncs add column time_mark text;
