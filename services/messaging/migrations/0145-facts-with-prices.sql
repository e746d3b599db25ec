-- Prices stand in a view of their own, so that a process of the previous version, which fails a report with a metric that it
-- does not know, finds `report_facts` as it was.
create view report_facts_with_prices with (security_invoker = true) as
  select store_id, '00000000-0000-0000-0000-000000000000'::uuid as subject, metric, at, amount from lead_report_facts;
grant select on report_facts_with_prices to messaging, messaging_system;

create or replace view report_facts with (security_invoker = true) as
  select store_id, subject, metric, at, amount from report_facts_with_prices
  where metric !~ '^(billed|free|amount)_' and metric <> 'without_rate';
