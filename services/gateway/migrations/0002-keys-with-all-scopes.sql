-- A key that was made without naming scopes has them all, also those that come with later versions: null.
alter table api_keys alter column scopes drop not null;
