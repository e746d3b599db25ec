-- A person wins: a message of a seller pauses the AI, in the row that accepts its messages. The previous version writes
-- messages of sellers that pause nothing.
alter table conversations
  -- Rises with each pause that a message begins. Crm keeps a copy of `ai_paused_until`, and answers with the version that
  -- it knew: an older answer does not end a newer pause.
  add column ai_pause_version integer not null default 0,
  add column reported_pause_version integer not null default 0,
  -- What the AI wrote before this message is not sent any more. Null: nothing has paused it.
  add column ai_pause_number bigint;
-- The job that tells crm looks at every store.
grant select (ai_paused_until, ai_pause_version, reported_pause_version) on conversations to messaging_system;

alter table store_settings
  add column ai_pause_minutes integer not null default 720 check (ai_pause_minutes between 1 and 43200),
  -- Whether a message of source `api` pauses the AI, too.
  add column api_pauses_ai boolean not null default false;
