-- Tools: the calls of a turn, and the times that leads were offered.

-- A model call of a turn, and each tool call that it asked for.
create table ai_steps (
  store_id uuid not null,
  turn_id uuid not null,
  -- The number of the model call in its turn, from 1.
  n smallint not null check (n > 0),
  -- The number of the tool call in that answer, from 1. 0: the model call itself.
  call smallint not null default 0 check (call >= 0),
  kind text not null check (kind in ('model', 'tool')),
  -- The id that the model gave the call, the name of the tool, and what it was given.
  call_id text check (char_length(call_id) <= 200),
  tool text check (char_length(tool) <= 64),
  input jsonb,
  -- What it gave. Null: it has not ended. Of a model call: its action.
  output jsonb,
  -- From this moment on the effect may exist, so the call is made with its key and never skipped.
  begun_at timestamptz(3),
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (store_id, turn_id, n, call),
  foreign key (store_id, turn_id) references ai_turns (store_id, id),
  check ((kind = 'tool') = (call > 0)),
  check ((kind = 'tool') = (tool is not null and call_id is not null)),
  check (kind = 'tool' or output is not null)
);

-- A free time that a model may offer to a lead. The model knows it by its id alone.
create table ai_offers (
  store_id uuid not null,
  id uuid not null,
  lead_id uuid not null,
  starts_at timestamptz(3) not null,
  duration_minutes integer not null,
  service_id uuid,
  -- The title of the appointment that it would become.
  title text not null,
  -- The message that offers it, and its place in that message. Null: no message does.
  message_id uuid,
  place smallint,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (store_id, id),
  check ((message_id is null) = (place is null))
);
create index ai_offers_of_lead on ai_offers (store_id, lead_id, starts_at);

alter table ai_steps enable row level security;
alter table ai_steps force row level security;
create policy store on ai_steps to assistant
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update on ai_steps to assistant;

alter table ai_offers enable row level security;
alter table ai_offers force row level security;
create policy store on ai_offers to assistant
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update, delete on ai_offers to assistant;

-- The superseded turn before, whose tool results this one keeps.
alter table ai_turns add column continues uuid;

-- Since when the AI has been on. What a lead wrote before is left to people.
alter table store_settings add column ai_since timestamptz(3);
