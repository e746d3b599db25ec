-- The phone that a lead got since it has a conversation, and the lead's version with it. Null: the phone never changed.
alter table conversations add column phone text, add column phone_version integer;
-- A lead that gets another phone is no longer known by the earlier one's ids.
grant delete on customer_user_ids to messaging;
