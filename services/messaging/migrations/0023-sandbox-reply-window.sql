-- The reply window that a sandbox holds, as a real channel would. Null: the provider's own.
alter table channels add column reply_window_minutes integer;
