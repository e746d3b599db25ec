-- no-transaction
create index concurrently if not exists knowledge_passages_without_title
  on knowledge_passages (store_id, document_id) where not has_title;
