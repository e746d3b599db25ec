-- The shards of message delivery: docs/adr/0034. A store's shard is the last byte of its id, modulo 32.
create table delivery_shards (
  shard smallint primary key check (shard between 0 and 31),
  -- When Temporal scheduled the step that has the shard, in epoch milliseconds. A step with a lower number claims nothing.
  fence bigint not null default 0,
  -- Until then the step sends a new message without a wake-up. It prolongs the time with each request.
  open_until timestamptz not null default 'epoch'
);
insert into delivery_shards (shard) select generate_series(0, 31);
-- It belongs to no store.
alter table delivery_shards enable row level security, force row level security;
create policy reading on delivery_shards for select to messaging using (true);
create policy pumping on delivery_shards to messaging_system using (true) with check (true);
grant select on delivery_shards to messaging;
grant select, update on delivery_shards to messaging_system;
-- Why the first message of a queue waits.
grant select (wait_reason, error_code) on messages to messaging_system;
