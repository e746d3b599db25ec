-- What else a person asked, where one id does not say it: which rows a retry or a give-up named.
alter table audit_log add column details jsonb check (jsonb_typeof(details) = 'object');
