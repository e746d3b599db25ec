-- What calls to models cost, in millionths of the currency of the price file.

-- What a store may spend on a day, in UTC. Null: there is no limit.
alter table store_settings add column ai_daily_budget numeric(16, 6) check (ai_daily_budget >= 0);

-- What the calls of the day have cost, and what those that run may cost at most.
alter table model_days add column cost_micros bigint not null default 0;
-- When a call was first refused because the calls or the money of the day were used up.
alter table model_days add column reached_at timestamptz(3);

-- Null: the price of no call is known.
alter table model_usage add column cost_micros bigint;
alter table ai_turns add column cost_micros bigint;

-- How many stores have used up the day.
create policy budgets on model_days for select to assistant_system using (true);
grant select (store_id, day, reached_at) on model_days to assistant_system;
