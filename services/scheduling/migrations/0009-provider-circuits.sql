-- Providers that failed lately, by the origin of their API. All processes share these rows. An origin without a row
-- answers. A copy of packages/kit/sql/provider-circuits.sql.
create table provider_circuits (
  origin text primary key,
  -- outages in a row
  failures integer not null,
  -- no process calls the origin before this moment; null: the circuit is closed
  open_until timestamptz,
  -- the lease of the one call that probes after `open_until`
  probe_until timestamptz,
  -- when the circuit opened
  since timestamptz(3),
  updated_at timestamptz not null default clock_timestamp(),
  check ((open_until is null) = (since is null))
);
alter table provider_circuits enable row level security;
alter table provider_circuits force row level security;
create policy reading on provider_circuits for select to scheduling using (true);
create policy recording on provider_circuits to scheduling_system using (true) with check (true);
grant select on provider_circuits to scheduling;
grant select, insert, update, delete on provider_circuits to scheduling_system;

-- Why the provider is not called for a pending sync, and since when; null: it waits for nothing, or for something else.
alter table calendar_syncs add column wait_reason text, add column wait_since timestamptz(3);
