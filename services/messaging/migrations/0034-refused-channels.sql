-- When the provider refused the channel; null: not known.
alter table channels add column refused_at timestamptz(3);
