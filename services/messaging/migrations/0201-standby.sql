-- When the channel last told of a message on standby, and when the customer, or the store, wrote over the store's own
-- connection since. With the last handover they say who has the conversation. Null: never.
alter table conversations add column standby_at timestamptz(3), add column standby_ended_at timestamptz(3);
