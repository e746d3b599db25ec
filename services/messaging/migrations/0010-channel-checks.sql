-- A channel that its provider refused is checked from time to time, and goes on by itself when a check passes.
alter table channels
  -- How many checks began since the provider refused the channel. The pauses between them grow with it.
  add column checks integer not null default 0,
  -- When the next check begins. Null: the channel works, or an earlier version recorded the refusal, and it begins now.
  add column next_check_at timestamptz,
  -- When a check found that the channel works again. Null: never since it was connected.
  add column recovered_at timestamptz(3);
-- The job looks for channels of every store.
grant select (next_check_at) on channels to messaging_system;
