-- Filters by what an event changed, and what the look for events to plan needs to pass by endpoints without one. The
-- previous version sends what filters leave out.
alter table webhook_endpoints
  -- [{ type, member, value? }]; null: none
  add column filters jsonb,
  -- The queue is full, so no more deliveries are made: until this moment, or until one of them changes.
  add column full_until timestamptz;
grant select (full_until) on webhook_endpoints to events_system;
grant select (looked_through, to_sequence) on webhook_replays to events_system;
grant select (replay_id) on webhook_deliveries to events_system;
