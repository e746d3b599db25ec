-- A call to a model that was begun and whose use is not counted yet. One whose process died counts with what it had taken.
create table model_calls (
  store_id uuid not null,
  id uuid not null,
  -- Null: it is for no turn, as in a replay.
  turn_id uuid,
  agent_id uuid not null,
  model text not null,
  -- What it has taken of this day, in millionths. 0: its price is not known.
  cost_micros bigint not null,
  -- From this moment on its process has died, or does not count it any more.
  expires_at timestamptz(3) not null,
  primary key (store_id, id)
);
create index model_calls_by_expiry on model_calls (expires_at);
alter table model_calls enable row level security, force row level security;
create policy store on model_calls to assistant
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, delete on model_calls to assistant;
-- The job that counts those of died processes looks at every store.
create policy died on model_calls for select to assistant_system using (expires_at <= clock_timestamp());
grant select (store_id, expires_at) on model_calls to assistant_system;

-- When the store was told that the budget of the day is used up. Null: not since its limits were changed.
alter table model_days add column told_at timestamptz(3);
