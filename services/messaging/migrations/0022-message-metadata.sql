-- What the store's own systems know of a message. A constant default rewrites nothing.
alter table messages add column metadata jsonb not null default '{}';
