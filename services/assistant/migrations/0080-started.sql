-- When the workflow of a turn was started. Null: the turn is not due yet, and nothing else than this row exists of it.
alter table ai_turns add column started_at timestamptz(3);
grant select (started_at), update (started_at) on ai_turns to assistant_system;
