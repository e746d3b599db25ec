-- Triggers, so that the previous version writes the changes, too.
create trigger count_changed after insert or delete on knowledge_documents
  for each row execute function count_rows('documents');
