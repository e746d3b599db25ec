-- What happened to appointments after their creation, and which bookings were refused, for the reports. No personal data: no
-- lead, no time of an appointment. The previous version writes none of it, and its changes are not counted.
create table appointment_facts (
  store_id uuid not null,
  at timestamptz(3) not null default now(),
  id uuid not null default uuidv7(),
  -- `appointments_moved`, `appointments_cancelled_` and its source, …: the service's list of metrics has them all.
  metric text not null check (metric like 'appointments\_%'),
  -- Of the appointment after the change, or as the refused request named them.
  seller_id uuid,
  service_id uuid,
  primary key (store_id, at, id)
);
alter table appointment_facts enable row level security, force row level security;
create policy store on appointment_facts to scheduling
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
-- Closing the reports counts for every store.
create policy closing on appointment_facts for select to scheduling_system using (true);
grant select, insert on appointment_facts to scheduling;
grant select on appointment_facts to scheduling_system;

-- As before, with these facts: for the store, for the seller, and for the service, which `services_changed` tells from a seller.
create or replace view report_facts with (security_invoker = true) as
  select store_id, '00000000-0000-0000-0000-000000000000'::uuid as subject, metric, at, amount from lead_report_facts
union all
  select store_id, '00000000-0000-0000-0000-000000000000'::uuid, metric, at, 1 from appointment_facts
union all
  select store_id, seller_id, metric, at, 1 from appointment_facts where seller_id is not null
union all
  select store_id, service_id, metric, at, 1 from appointment_facts where service_id is not null
union all
  select store_id, service_id, 'services_changed', at, 1 from appointment_facts where service_id is not null;
