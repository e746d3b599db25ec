-- A customer whom the channel names without a phone.
alter table conversations
  -- The channel's current id of the lead that does not derive from a phone. Messages go to it while `wa_id` is not known.
  -- The previous version writes none, and creates no leads without a phone.
  add column user_id text,
  -- Of the lead, as crm had it in `lead_version`.
  add column lead_user_id text,
  add column lead_username text;
