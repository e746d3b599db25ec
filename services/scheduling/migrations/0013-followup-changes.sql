-- Raised by every change that the API's users make: the ETag. Such a change may move `due_at`, which stood still before.
alter table followups add column version integer not null default 1;
