-- no-transaction
-- What is to be started is found without a look at the turns that were started and wait for a worker.
create index concurrently if not exists ai_turns_to_start on ai_turns (next_attempt_at)
  where state = 'open' and started_at is null;
