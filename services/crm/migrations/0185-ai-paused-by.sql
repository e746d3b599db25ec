-- Who paused the AI: kind, id and name. Null: it is not paused, or not known, as in older rows.
alter table leads add column ai_paused_by jsonb;
