-- How many tokens of models a store may use on a day, in UTC. Null: there is no limit.
alter table store_settings add column ai_daily_tokens integer check (ai_daily_tokens >= 0);

alter table model_days
  -- The tokens that the calls of the day have read and written, and the most that those that run may.
  add column tokens bigint not null default 0,
  -- From how many tokens on a call of this day may have reached 80 percent of the limit. Null: there is no limit.
  add column near_tokens bigint;

-- What a running call has taken of this day, in tokens.
alter table model_calls add column tokens integer not null default 0;
