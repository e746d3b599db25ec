-- How the calls to a provider have failed since its last answer. Null: the last call was answered.
alter table provider_connections
  add column failure_kind text,
  add column failures integer not null default 0 check (failures >= 0),
  add column failed_at timestamptz(3);
