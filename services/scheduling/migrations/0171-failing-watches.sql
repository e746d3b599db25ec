-- An operator's list of what waits has the calendars whose last read failed, of all stores.
grant select (last_error_code) on calendar_watches to scheduling_system;
