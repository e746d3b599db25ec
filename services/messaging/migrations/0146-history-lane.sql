-- A payload that has only what was written before the number was connected is processed beside the others, so that what
-- customers write now does not wait for it. The previous version takes all payloads alike.
alter table inbound_payloads add column is_history boolean not null default false;
grant select (is_history) on inbound_payloads to messaging_system;
