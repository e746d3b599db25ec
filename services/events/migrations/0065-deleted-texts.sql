-- When the writer of a message deletes it, its text goes from the events that told it. An event of the deletion is in the
-- feed then, and a job goes through those before it. A process of the previous version leaves the texts.
create table deleted_texts (
  store_id uuid not null,
  message_id uuid not null,
  -- No later event has the text. Falls while the job goes through the feed.
  through bigint not null,
  -- When the message was stored: no earlier event has it.
  since timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (store_id, message_id)
);
alter table deleted_texts enable row level security, force row level security;
create policy jobs on deleted_texts to events_system using (true) with check (true);
grant select, insert, update, delete on deleted_texts to events_system;

-- No role of the service may change an event. This takes the text of one message from them, and nothing else.
create policy deleting on events to events_owner using (true) with check (true);
create function delete_text(store uuid, message uuid, earliest timestamptz, after bigint, through bigint) returns void
language sql volatile security definer
set search_path = pg_catalog, events, pg_temp
as $$
  with emptied (members) as (
    values (jsonb_build_object('body', '', 'body_truncated', false, 'content', null, 'media', null)))
  update events set
    data = jsonb_set(data, '{object}', (data -> 'object') || members),
    previous = case when previous is not null then (
      select coalesce(jsonb_object_agg(key, coalesce(members -> key, value)), '{}') from jsonb_each(previous)) end
  from emptied
  where store_id = store and appended_at >= earliest and sequence > after and sequence <= through
    and entity_type = 'message' and entity_id = message and jsonb_typeof(data -> 'object') = 'object'
$$;
revoke execute on function delete_text from public;
grant execute on function delete_text to events_system;
