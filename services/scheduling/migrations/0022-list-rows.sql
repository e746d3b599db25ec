-- The rows of each list, by what it filters. Totals are built from it, so it comes after all triggers.
create view list_rows with (security_invoker = true) as
  select store_id, 'appointments' as list, status, null::uuid as owner from appointments
union all
  select store_id, 'followups', status, null from followups;
grant select on list_rows to scheduling;
