-- What caused an event, the ETag of its resource, and what the resource was before. Null in events of the previous
-- version, which also reads the new ones.
alter table events
  add column etag text,
  add column actor jsonb,
  add column request_id text,
  add column previous jsonb;
