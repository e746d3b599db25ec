-- The rows of each list, by what it filters. Totals are built from it, so it comes after all triggers.
create view list_rows with (security_invoker = true) as
  select store_id, 'leads' as list, status, seller_id as owner from leads
union all
  select store_id, 'sellers', null, null from sellers
union all
  select store_id, 'agents', case when is_active then 'active' else 'inactive' end, null from agents
union all
  select store_id, 'documents', null, null from knowledge_documents;
grant select on list_rows to crm;
