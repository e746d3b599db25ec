-- When the embedder last gave no vector for this passage alone. Those without a failure come first, so that one passage
-- that no embedder takes holds up no other.
alter table knowledge_passages add column embed_failed_at timestamptz(3);
