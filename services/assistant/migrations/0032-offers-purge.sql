-- The purge looks at every store, and deletes offers whose time has passed only.
create policy purge on ai_offers to assistant_system using (starts_at <= clock_timestamp());
grant select (store_id, id, starts_at), delete on ai_offers to assistant_system;
