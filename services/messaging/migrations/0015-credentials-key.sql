-- Which key of ENCRYPTION_KEYS sealed the credentials: `v1.<key id>.…`. A process is ready when its keys open them. The
-- column is virtual: it takes no space, and adding it rewrites nothing. The rule knows only stored columns.
alter table channels
  -- squawk-ignore adding-field-with-default
  add column credentials_key_id text generated always as (split_part(sealed_credentials, '.', 2)) virtual;
grant select (credentials_key_id) on channels to messaging_system;
