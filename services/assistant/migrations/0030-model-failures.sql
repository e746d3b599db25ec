-- How the providers of models have failed since the last decision of a turn: by provider, the kind, how often, and when each
-- may be asked again. Attempts that failed before a model was asked do not count.
alter table ai_turns add column model_failures jsonb not null default '{}' check (jsonb_typeof(model_failures) = 'object');
