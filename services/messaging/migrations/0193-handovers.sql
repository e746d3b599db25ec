-- When another agent of the number last passed the conversation to the store, or took it, by the channel's clock, and who has
-- it since: `store` or `other`. Null: never. What the agent wrote before it passed it to the store answers nothing.
alter table conversations add column handover_at timestamptz(3), add column handover_owner text;
