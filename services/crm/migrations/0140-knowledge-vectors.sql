-- Vectors of passages, for stores with an embedder: docs/adr/0011. The service `assistant` has the embedder itself.
create table knowledge_indexes (
  store_id uuid primary key,
  -- Vectors of another embedder are not compared with it.
  embedder_id uuid not null,
  -- When the next passages get vectors. Null: all have one. A process that embeds some puts it off for its lease.
  next_attempt_at timestamptz(3) default clock_timestamp(),
  -- Of the process that embeds now. An import takes it away, so that the index is not called complete.
  lease_token uuid,
  -- Attempts that failed, one after the other, and the latest reason.
  attempts integer not null default 0,
  failure text
);
create index knowledge_indexes_due on knowledge_indexes (next_attempt_at) where next_attempt_at is not null;

create table passage_vectors (
  store_id uuid not null,
  document_id uuid not null,
  position integer not null,
  embedder_id uuid not null,
  -- A signed byte for each dimension. The largest one is 127.
  embedding bytea not null,
  -- A bit for each dimension: whether it is positive.
  bits bit varying not null,
  primary key (store_id, document_id, position),
  -- A passage that is replaced or deleted loses its vector at once.
  foreign key (store_id, document_id, position) references knowledge_passages (store_id, document_id, position)
    on delete cascade
);
-- The comparison of all bits of a store reads only the index.
create index passage_vectors_bits on passage_vectors (store_id, embedder_id) include (document_id, position, bits);

alter table knowledge_indexes enable row level security, force row level security;
alter table passage_vectors enable row level security, force row level security;
create policy store on knowledge_indexes to crm
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy store on passage_vectors to crm
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update, delete on knowledge_indexes, passage_vectors to crm;
-- Which stores are due.
create policy due on knowledge_indexes for select to crm_system using (true);
grant select (store_id, next_attempt_at) on knowledge_indexes to crm_system;
