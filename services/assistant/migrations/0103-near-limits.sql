-- From how many calls, and from which cost in millionths, a call of this day may have reached 80 percent of a limit. Who
-- looks at the limits writes both, and so does a change of the limits. Other calls need not look.
-- Null calls: nothing has looked yet. Null cost: there is no limit.
alter table model_days
  add column near_calls integer,
  add column near_micros bigint;
