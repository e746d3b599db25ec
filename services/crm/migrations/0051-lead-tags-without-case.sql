-- no-transaction
create index concurrently if not exists lead_tags_without_case on lead_tags (store_id, tag collate without_case, lead_id);
