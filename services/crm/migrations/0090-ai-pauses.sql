-- A copy of what messaging knows: messages of sellers pause the AI. The version of the last pause that messaging has told.
alter table leads add column ai_pause_version integer not null default 0;
