-- The lead who had the number before the channel named another customer with it. It may have been merged or deleted since.
alter table leads add column previous_lead_id uuid;
