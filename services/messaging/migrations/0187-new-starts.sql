-- Another business gives the same customer another id, so an id counts for the channel that told it. Null: not known.
alter table customer_user_ids add column channel_id uuid;
-- The channel has named another customer with the number: the earlier one keeps only the user id.
alter table identity_changes add column is_release boolean not null default false;
