-- Who created an endpoint: an API key, a person or the operator. Null: a version that did not record it.
alter table webhook_endpoints
  add column creator_kind text,
  -- The id of the key, or of the person in the store. Null: the operator.
  add column creator_id text;
