-- Of the secret of a channel that is being asked for: the calendar may tell of changes before its answer is recorded, or when
-- that never is. The previous version asks without it, and refuses what is told in between.
alter table calendar_watches add column asked_channel_token_hash bytea;
grant select (asked_channel_token_hash) on calendar_watches to scheduling_system;
