-- contract
-- Reports read the totals of the list of appointments instead (0019).
drop trigger count_new on appointments;
drop trigger count_changed on appointments;
drop trigger count_deleted on appointments;
drop function count_appointments();
-- squawk-ignore ban-drop-table
drop table appointment_counts;
