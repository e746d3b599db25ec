-- no-transaction
-- New entries wait in a list of at most 512 kB, some 300 leads, because to merge them one by one costs five times as much.
create index concurrently if not exists lead_texts_by_part on lead_texts
  using gin (store_id, content extensions.gin_trgm_ops) with (gin_pending_list_limit = 512);
