-- Which key sealed the token of a feed, as `credentials_key_id` says it of the credentials: an operator moves both to a
-- new key. It is computed when it is read, so that no row
-- is written and the table is not rewritten.
-- squawk-ignore adding-field-with-default
alter table calendar_connections add column feed_token_key_id text generated always as (split_part(sealed_feed_token, '.', 2)) virtual;
grant select (feed_token_key_id) on calendar_connections to scheduling_system;
-- An operator lists the stores whose follow-ups are late.
grant select (due_at, message_id) on followups to scheduling_system;
