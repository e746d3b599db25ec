-- Who wrote the message that paused the AI until `ai_paused_until`: kind, id and name. Null: crm has told the pause, or not known.
alter table conversations add column ai_paused_by jsonb;
grant select (ai_paused_by) on conversations to messaging_system;
