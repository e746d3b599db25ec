-- What the provider says of the number of a channel.
alter table channels
  -- `ChannelNumberState` of the contracts. Null: the provider has not said.
  add column number_state jsonb,
  add column number_checked_at timestamptz(3);
