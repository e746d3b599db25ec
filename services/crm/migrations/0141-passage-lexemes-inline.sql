-- The words of a passage stay in its row. Apart from it, a search that matches thousands of passages reads up to 16 pages
-- for each: once to compare and again to rank. Passages from before keep theirs apart until their document changes.
alter table knowledge_passages alter column lexemes set storage main;
