-- The name that the channel gave a lead, from the profile of the customer or from the address book of the store's own
-- telephone. While the lead has this name, no person has named it. Null: not known.
alter table leads
  add column channel_name text,
  -- When the store's telephone named it last, by the clock of the channel.
  add column channel_named_at timestamptz(3);
