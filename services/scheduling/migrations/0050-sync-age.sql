-- A gauge shows for how long the oldest pending sync waits.
grant select (requested_at) on calendar_syncs to scheduling_system;
