-- The rows of each list, by what it filters. Totals are built from it, so it comes after all triggers. The inbox shows a
-- conversation when it has a message and its lead is known.
create view list_rows with (security_invoker = true) as
  select store_id, 'messages' as list, status, null::uuid as owner from messages
union all
  select store_id, 'conversations', lead_status, seller_id from conversations
  where last_message_at is not null and lead_version is not null;
grant select on list_rows to messaging;
