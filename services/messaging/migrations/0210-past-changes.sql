-- Whether the channel told the change with the past, from before the number was connected. Where its message is of the past,
-- too, no event tells of the change.
alter table message_changes add column from_history boolean not null default false;
