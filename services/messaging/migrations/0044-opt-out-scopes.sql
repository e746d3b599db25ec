alter table conversations
  -- The lead's last wish about all messages and about marketing messages: what, when by the channel's clock, and how. Null:
  -- none, or only what the previous version wrote into `opted_out_at`.
  add column opt_out_wishes jsonb;

alter table status_reports
  -- What the lead opted out of, if the channel refused the message for it.
  add column opt_out text check (opt_out in ('all', 'marketing'));

-- Null: the default, which is on for stores from after this migration. The id of a store tells when it was made. In a row
-- from before, the setting stays as it is.
alter table store_settings
  -- squawk-ignore ban-drop-not-null
  alter column opt_out_stops_api drop not null,
  alter column opt_out_stops_api drop default;
do $$
begin
  execute format(
    'create function opt_out_stops_api_by_default(store_id uuid) returns boolean language sql immutable parallel safe
       return coalesce(uuid_extract_timestamp(store_id) >= %L::timestamptz, false)',
    clock_timestamp());
end $$;
revoke execute on function opt_out_stops_api_by_default from public;
grant execute on function opt_out_stops_api_by_default to messaging;
