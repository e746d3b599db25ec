-- What an agent is told, and what it was told before. The previous version writes agents with the defaults.
alter table agents
  add column instructions text check (char_length(instructions) between 1 and 8000),
  add column tone text check (char_length(tone) between 1 and 200),
  -- A language tag. Null: that of the lead.
  add column language text check (char_length(language) between 1 and 35),
  add column disclosure boolean not null default true,
  add column handover_when text check (char_length(handover_when) between 1 and 2000),
  -- Raised by every change of these columns.
  add column version integer not null default 1;

-- The versions that were replaced. The agent itself has the current one.
create table agent_versions (
  store_id uuid not null,
  agent_id uuid not null,
  version integer not null,
  instructions text,
  tone text,
  language text,
  disclosure boolean not null,
  handover_when text,
  replaced_at timestamptz(3) not null,
  primary key (store_id, agent_id, version),
  foreign key (store_id, agent_id) references agents (store_id, id) on delete cascade
);
alter table agent_versions enable row level security, force row level security;
create policy store on agent_versions to crm
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert on agent_versions to crm;
