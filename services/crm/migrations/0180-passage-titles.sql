-- Whether the words of a passage have those of its document's title, and stand in its row. Passages from before get both
-- from a job: its index is 0181.
alter table knowledge_passages add column has_title boolean not null default false;
create policy refresh on knowledge_passages for select to crm_system using (true);
grant select (store_id, document_id, has_title) on knowledge_passages to crm_system;
