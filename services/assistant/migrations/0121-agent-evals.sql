-- What a customer writes to an agent, and what a good answer does.
create table agent_evals (
  store_id uuid not null,
  id uuid not null default uuidv7(),
  agent_id uuid not null,
  text text not null check (char_length(text) between 1 and 4096),
  -- What was said before: [{from, text}].
  conversation jsonb not null default '[]' check (jsonb_typeof(conversation) = 'array'),
  -- What a good answer does: [{type, value}].
  expects jsonb not null check (jsonb_typeof(expects) = 'array'),
  -- The answer, and which expectations it keeps, in the run that has this id. Null: it was not asked since it last changed.
  result jsonb,
  run_id uuid,
  -- It grows with each change, so that a run does not record the answer to what was changed meanwhile.
  version integer not null default 1,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  primary key (store_id, id),
  check ((result is null) = (run_id is null))
);
create index agent_evals_of_agent on agent_evals (store_id, agent_id, created_at, id);

-- The last run of the evals of an agent.
create table agent_eval_runs (
  store_id uuid not null,
  agent_id uuid not null,
  id uuid not null,
  -- The version that the agent had when the run began, and the agent as it was asked.
  agent_version integer not null,
  is_draft boolean not null,
  agent jsonb not null check (jsonb_typeof(agent) = 'object'),
  started_at timestamptz(3) not null default clock_timestamp(),
  primary key (store_id, agent_id)
);

alter table agent_evals enable row level security, force row level security;
create policy store on agent_evals to assistant
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update, delete on agent_evals to assistant;

alter table agent_eval_runs enable row level security, force row level security;
create policy store on agent_eval_runs to assistant
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update on agent_eval_runs to assistant;
