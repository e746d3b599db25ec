-- When the sweep last woke the shard. Null: never, or a step began since.
alter table delivery_shards add column woken_at timestamptz(3);
