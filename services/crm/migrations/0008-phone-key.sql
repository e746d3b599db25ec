-- The canonical form of `customer_phone`, in which Brazil's ninth digit makes no difference. Null for a lead from before
-- this column: such leads are found by all written forms of a phone, and duplicates among them stay until they are merged.
alter table leads add column phone_key text;
