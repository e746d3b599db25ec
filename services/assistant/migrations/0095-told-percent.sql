-- The greatest share of the day's limits that an event has told of: 0, 80 or 100.
alter table model_days add column told_percent smallint not null default 0;
-- `told_percent` says more, and no release has read it.
-- squawk-ignore ban-drop-column
alter table model_days drop column told_at;
