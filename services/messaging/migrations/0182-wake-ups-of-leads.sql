-- contract
-- delivery_shards.woken_at replaces it.
-- squawk-ignore ban-drop-column
alter table conversations drop column woken_at;
