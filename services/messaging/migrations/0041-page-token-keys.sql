-- Which key sealed the token of a sandbox's page, as `credentials_key_id` says it of the credentials: an operator moves
-- both to a new key. It is computed when it is read, so that no row is written and
-- the table is not rewritten.
-- squawk-ignore adding-field-with-default
alter table channels add column page_token_key_id text generated always as (split_part(sealed_page_token, '.', 2)) virtual;
grant select (page_token_key_id) on channels to messaging_system;
