-- What calls to models have used, by the day in UTC, the agent and the model.
create table model_usage (
  store_id uuid not null,
  day date not null,
  agent_id uuid not null,
  -- The provider and the name of the model.
  model text not null,
  calls bigint not null,
  -- Calls without an answer that can be sent.
  failed_calls bigint not null,
  -- As far as the provider tells them.
  input_tokens bigint not null,
  output_tokens bigint not null,
  primary key (store_id, day, agent_id, model)
);
alter table model_usage enable row level security, force row level security;
create policy store on model_usage to assistant
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update on model_usage to assistant;

-- What the calls of a turn have used together. Null: no provider has told it.
alter table ai_turns add column input_tokens integer, add column output_tokens integer;
