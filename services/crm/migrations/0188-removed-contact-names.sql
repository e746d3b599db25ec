-- Null: removed from the address book. A name from before `named_at` that comes later does not count.
alter table contact_names alter column name drop not null;
