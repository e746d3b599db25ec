-- The channel by which a calendar tells that something has changed. A calendar without one is only polled, and so are all of
-- them while the previous version runs.
alter table calendar_watches
  -- Of the secret that the calendar sends with each notice. Null: there is no channel.
  add column channel_token_hash bytea,
  -- Until when the calendar tells.
  add column channel_expires_at timestamptz,
  -- When a channel was last asked for.
  add column channel_tried_at timestamptz,
  -- When the calendar last told.
  add column notified_at timestamptz;
grant select (channel_token_hash) on calendar_watches to scheduling_system;
