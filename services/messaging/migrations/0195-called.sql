-- When the lead last called the store over the channel, by the channel's clock. Null: never. A call opens the reply window as a
-- message does, and counts nowhere else.
alter table conversations add column called_at timestamptz(3);
