-- What caused a public event, the ETag of its resource, and what the resource was before. The previous version writes
-- entries without them, and sends none of them on.
alter table feed_entries
  add column etag text,
  add column actor json,
  add column request_id text,
  add column previous json;
