-- AI agents with their activation conditions, and the knowledge documents with the passages that are searched.

create table agents (
  id uuid primary key default uuidv7(),
  store_id uuid not null,
  name text not null check (char_length(name) between 1 and 200),
  model text not null default 'auto' check (model in ('auto', 'gemini', 'openai')),
  -- A lower number is chosen first.
  priority integer not null check (priority >= 0),
  is_active boolean not null default true,
  is_default boolean not null default false,
  voice_id text check (char_length(voice_id) between 1 and 200),
  audio_response_enabled boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (store_id, id)
);
create index agents_by_priority on agents (store_id, priority, id) where is_active;
create unique index agents_default on agents (store_id) where is_default;

create table condition_groups (
  id uuid primary key default uuidv7(),
  store_id uuid not null,
  agent_id uuid not null,
  group_index integer not null check (group_index >= 0),
  logical_operator text not null default 'AND' check (logical_operator = 'AND'),
  unique (store_id, id),
  constraint condition_groups_index unique (store_id, agent_id, group_index),
  foreign key (store_id, agent_id) references agents (store_id, id) on delete cascade
);

create table conditions (
  id uuid primary key default uuidv7(),
  store_id uuid not null,
  group_id uuid not null,
  -- The order in which they were given.
  position integer not null,
  condition_type text not null check (condition_type = 'lead_status'),
  operator text not null check (operator = '='),
  value text not null check (value in ('pending', 'in_progress', 'converted', 'lost')),
  unique (store_id, group_id, position),
  foreign key (store_id, group_id) references condition_groups (store_id, id) on delete cascade
);

create table knowledge_documents (
  id uuid primary key default uuidv7(),
  store_id uuid not null,
  -- The file's name: an import of the same name changes this document.
  source_name text not null,
  title text not null check (char_length(title) between 1 and 200),
  content text not null check (octet_length(content) between 1 and 131072),
  is_active boolean not null default true,
  -- A text search configuration of PostgreSQL.
  language text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (store_id, id),
  constraint knowledge_documents_source unique (store_id, source_name)
);
create index knowledge_documents_by_time on knowledge_documents (store_id, created_at desc, id desc);

-- What is searched: the passages of active documents. The service cuts a document and folds what it cut (lower case, no
-- accents).
create table knowledge_passages (
  store_id uuid not null,
  document_id uuid not null,
  position integer not null,
  content text not null,
  folded text not null,
  language text not null,
  -- The words of the passage twice: as they stand, since stemming knows endings by their accents, and folded, for those
  -- who type without.
  lexemes tsvector not null,
  primary key (store_id, document_id, position),
  foreign key (store_id, document_id) references knowledge_documents (store_id, id) on delete cascade
);
-- The store is in both, so that a search costs by its own store's passages.
create index knowledge_passages_lexemes on knowledge_passages using gin (store_id, lexemes);
-- As text, so that no other index fits: PostgreSQL takes the comparison for a cheap one, and would make it on every passage
-- of the store.
create index knowledge_passages_likeness on knowledge_passages
  using gin ((store_id::text), folded extensions.gin_trgm_ops);

do $$
declare
  name text;
begin
  foreach name in array array['agents', 'condition_groups', 'conditions', 'knowledge_documents', 'knowledge_passages'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy store on %I to crm
         using (store_id = (select nullif(current_setting(''mostrador.store_id'', true), '''')::uuid))
         with check (store_id = (select nullif(current_setting(''mostrador.store_id'', true), '''')::uuid))', name);
    execute format('grant select, insert, update, delete on %I to crm', name);
  end loop;
end $$;

-- The search operators are not leakproof: under row-level security they could use no index, because they would have to
-- wait for the policy's verdict on every row. So the search runs as the owner of the tables, in this one function, which
-- names the store itself and demands that the connection's store is the same.
create policy search on knowledge_documents for select to crm_owner using (true);
create policy search on knowledge_passages for select to crm_owner using (true);

-- The text search query of one language. Words: any of them, the ranking does the rest. Exact: as web search has it.
create function search_query(language text, phrase text, folded_phrase text, exact boolean) returns tsquery
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
return case
  when exact then websearch_to_tsquery(language::regconfig, phrase) || websearch_to_tsquery(language::regconfig, folded_phrase)
  else replace((plainto_tsquery(language::regconfig, phrase) && plainto_tsquery(language::regconfig, folded_phrase))::text,
    ''' & ''', ''' | ''')::tsquery
end;

-- The best passages of a store's active documents, at most `most` of each language. `words` are the words of the phrase,
-- and the same ones folded. Those that no passage has in any form are taken for misspelled and compared by likeness: that
-- costs a hundred times more. The score is how many of the words a passage has, and how often and how close together.
-- Every query is planned for its values: a rare word and a common one want different plans.
create function search_passages(
  store uuid, phrase text, folded_phrase text, words text[], folded_words text[], exact boolean, most integer
) returns table (document_id uuid, title text, content text, language text, score real)
language plpgsql stable security definer
set search_path = pg_catalog, crm, extensions, pg_temp
set plan_cache_mode = force_custom_plan
-- Looking whether there is any, the planner would hope to meet one soon, and read all stores' passages when there is none.
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  spoken text;
  query tsquery;
  word record;
  terms tsquery[];
  misspelled text[]; -- parallel to terms; null where the word is known
begin
  if store is distinct from nullif(current_setting('mostrador.store_id', true), '')::uuid then
    return;
  end if;
  for spoken in select distinct d.language from knowledge_documents d where d.store_id = store and d.is_active loop
    query := search_query(spoken, phrase, folded_phrase, exact);
    terms := '{}';
    misspelled := '{}';
    for word in
      select search_query(spoken, w.asked, w.folded, false) as term, w.folded
      from unnest(words, folded_words) w (asked, folded)
      -- Without the words that say nothing in this language.
      where to_tsvector(spoken::regconfig, w.asked) <> ''
    loop
      terms := terms || word.term;
      misspelled := misspelled || case
        when not exact and not exists (
          select from knowledge_passages p
          where p.store_id = store and p.language = spoken and p.lexemes @@ word.term
        ) then word.folded
      end;
    end loop;
    return query
      with by_words as materialized (
        select p.document_id, p.position
        from knowledge_passages p
        where p.store_id = store and p.language = spoken and p.lexemes @@ query
        order by ts_rank(p.lexemes, query) desc, p.document_id, p.position
        limit 100
      ),
      by_likeness as materialized (
        select p.document_id, p.position
        from knowledge_passages p
        where p.store_id::text = store::text and p.language = spoken
          and p.folded %> any (array_remove(misspelled, null))
      )
      select p.document_id, d.title, p.content, p.language,
        (0.7 * coalesce((
          select avg(case when p.lexemes @@ t.term then 1 else coalesce(word_similarity(t.word, p.folded), 0) end)
          from unnest(terms, misspelled) t (term, word)
        ), 0) + 0.3 * ts_rank_cd(p.lexemes, query, 32))::real as score
      from (select * from by_words union (select * from by_likeness limit 100)) found
      join knowledge_passages p
        on p.store_id = store and p.document_id = found.document_id and p.position = found.position
      join knowledge_documents d on d.store_id = store and d.id = p.document_id and d.is_active
      order by score desc, p.document_id, p.position
      limit most;
  end loop;
end
$$;

-- Which of these words (lower case, and folded) match, by their place in the list: by a form of theirs, or by likeness.
-- For highlighting; it reads no table.
create function matching_words(
  phrase text, folded_phrase text, query_words text[], exact boolean, language text, lowered text[], folded text[]
) returns setof bigint
language sql stable
set search_path = pg_catalog, crm, extensions, pg_temp
as $$
  select w.place
  from unnest(lowered, folded) with ordinality w (lowered, folded, place),
    (select tsvector_to_array(to_tsvector(language::regconfig, phrase) || to_tsvector(language::regconfig, folded_phrase))
       as lexemes offset 0) q
  where tsvector_to_array(to_tsvector(language::regconfig, w.lowered) || to_tsvector(language::regconfig, w.folded))
      && q.lexemes
    or (not exact and exists (
      select from unnest(query_words) x (word)
      where similarity(x.word, w.folded) >= 0.5 and to_tsvector(language::regconfig, x.word) <> ''))
$$;

revoke execute on function search_query, search_passages, matching_words from public;
grant execute on function search_passages, matching_words to crm;
