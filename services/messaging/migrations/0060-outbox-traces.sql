-- The trace in which an entry was written, as a W3C traceparent. The previous version writes and reads entries without it.
alter table outbox add column traceparent text;
