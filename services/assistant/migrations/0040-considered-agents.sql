-- The agents of the selection, in its order: each with its outcome, and the first condition that did not hold.
alter table ai_turns add column considered jsonb not null default '[]' check (jsonb_typeof(considered) = 'array');
