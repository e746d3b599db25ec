-- Reads the table without blocking it.
alter table audit_log validate constraint audit_log_actor_kind_check;
