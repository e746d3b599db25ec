-- Null: removed from the address book. A name from before `named_at` that comes later does not count.
-- The previous version creates no lead with such a row: the request fails, and messaging asks again.
-- squawk-ignore ban-drop-not-null
alter table contact_names alter column name drop not null;
