-- The rows of each list, by what it filters. Totals are built from it, so it comes after all triggers. No request
-- sees a deleted endpoint.
create view list_rows with (security_invoker = true) as
  select store_id, 'webhook_deliveries' as list, status, endpoint_id as owner from webhook_deliveries
union all
  select store_id, 'webhook_endpoints', null, null from webhook_endpoints where deleted_at is null;
grant select on list_rows to events;
