-- What became of appointments stands in a view of its own, so that a process of the previous version, which fails a report
-- with a metric that it does not know, finds `report_facts` as it was.
create or replace view report_facts with (security_invoker = true) as
  select store_id, '00000000-0000-0000-0000-000000000000'::uuid as subject, metric, at, amount from lead_report_facts;

-- The facts of the store, of each seller, and of each service, which `services_changed` tells from a seller.
create view report_facts_of_subjects with (security_invoker = true) as
  select store_id, subject, metric, at, amount from report_facts
union all
  select store_id, '00000000-0000-0000-0000-000000000000'::uuid, metric, at, 1 from appointment_facts
union all
  select store_id, seller_id, metric, at, 1 from appointment_facts where seller_id is not null
union all
  select store_id, service_id, metric, at, 1 from appointment_facts where service_id is not null
union all
  select store_id, service_id, 'services_changed', at, 1 from appointment_facts where service_id is not null;
grant select on report_facts_of_subjects to scheduling, scheduling_system;
