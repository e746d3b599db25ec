-- Sellers and leads, AI agents, knowledge, and the reports about leads.

-- Row-level security of a table whose rows belong to stores: a request reads and writes only the rows of its store. It
-- binds the owner of the table, too. The end of this file drops the function.
create function keep_to_store(target regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security, force row level security', target);
  execute format('create policy store on %1$s to crm using (%2$s) with check (%2$s)', target,
    'store_id = (select nullif(current_setting(''mostrador.store_id'', true), '''')::uuid)');
end $$;

-- Sellers --------------------------------------------------------------------------------------------------------------

create table sellers (
  id uuid primary key default uuidv7(),
  store_id uuid not null,
  name text not null check (char_length(name) between 1 and 200),
  whatsapp_id text not null check (whatsapp_id ~ '^[1-9][0-9]{7,14}$'),
  is_active boolean not null default true,
  -- Raised by every change that the API's users make: the ETag.
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (store_id, id)
);
create index sellers_by_creation on sellers (store_id, created_at, id);
select keep_to_store('sellers');
grant select, insert, update, delete on sellers to crm;

-- Leads ----------------------------------------------------------------------------------------------------------------

create table leads (
  store_id uuid not null,
  id uuid not null default uuidv7(),
  name text not null check (char_length(name) between 1 and 200),
  customer_phone text not null check (customer_phone ~ '^[1-9][0-9]{7,14}$'),
  -- The canonical form of `customer_phone`, in which Brazil's ninth digit makes no difference. Null for a lead
  -- that was stored without it: it is found by all written forms of its phone, and its duplicates stay until they are
  -- merged.
  phone_key text,
  status text not null default 'pending' check (status in ('pending', 'in_progress', 'converted', 'lost')),
  seller_id uuid,
  interaction_count integer not null default 0 check (interaction_count >= 0),
  ai_paused_until timestamptz(3),
  -- What the store's own systems know of a lead: these five.
  external_id text,
  email text,
  -- `email` in lower case. Row-level security lets only a plain comparison use an index.
  email_key text,
  tags text[] not null default '{}',
  metadata jsonb not null default '{}',
  -- Raised by every change that the API's users make, so not by interaction_count: the ETag.
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  -- Lists sorted by it rest on it being read from the clock inside the transaction, not from its beginning: docs/adr/0010.
  updated_at timestamptz(3) not null default clock_timestamp(),
  -- Every statement names the store, so an id alone is never looked up: one index does.
  primary key (store_id, id),
  constraint leads_phone unique (store_id, customer_phone),
  -- A lead whose seller was deleted has none. The store is part of the key, so it cannot be a seller of another store.
  constraint leads_seller foreign key (store_id, seller_id)
    references sellers (store_id, id) on delete set null (seller_id)
);
create unique index leads_phone_key on leads (store_id, phone_key) where phone_key is not null;
create unique index leads_external_id on leads (store_id, external_id) where external_id is not null;
create index leads_by_email on leads (store_id, email_key) where email_key is not null;
-- Each filter in each order, read forwards or backwards, so that a page costs the same at any size and depth. "No seller"
-- needs indexes of its own: the planner does not know that rows found by `is null` are all alike, and would sort them.
create index leads_by_creation on leads (store_id, created_at, id);
create index leads_by_change on leads (store_id, updated_at, id);
create index leads_by_status_and_creation on leads (store_id, status, created_at, id);
create index leads_by_status_and_change on leads (store_id, status, updated_at, id);
create index leads_by_seller_and_creation on leads (store_id, seller_id, created_at, id) where seller_id is not null;
create index leads_by_seller_and_change on leads (store_id, seller_id, updated_at, id) where seller_id is not null;
create index leads_unassigned_by_creation on leads (store_id, created_at, id) where seller_id is null;
create index leads_unassigned_by_change on leads (store_id, updated_at, id) where seller_id is null;
select keep_to_store('leads');
create policy owner on leads for select to crm_owner using (true);
grant select, insert, update, delete on leads to crm;

-- The leads of each tag, for the filter: row-level security lets no operator on arrays use an index.
create table lead_tags (
  store_id uuid not null,
  tag text not null,
  lead_id uuid not null,
  primary key (store_id, tag, lead_id),
  foreign key (store_id, lead_id) references leads (store_id, id) on delete cascade
);
create index lead_tags_by_lead on lead_tags (store_id, lead_id);
select keep_to_store('lead_tags');
grant select, insert, delete on lead_tags to crm;

-- Leads that were merged into another lead of the same person.
create table merged_leads (
  store_id uuid not null,
  id uuid not null,
  -- the lead that stays; a later merge of that one moves this
  merged_into uuid not null,
  merged_at timestamptz(3) not null,
  -- null: messaging or scheduling may still have rows of the merged lead
  finished_at timestamptz(3),
  -- the row of `leads` as it was, so that nothing is lost
  lead jsonb not null,
  primary key (store_id, id),
  foreign key (store_id, merged_into) references leads (store_id, id)
);
create index merged_leads_by_lead on merged_leads (store_id, merged_into);
create index merged_leads_unfinished on merged_leads (store_id, merged_at) where finished_at is null;
select keep_to_store('merged_leads');
grant select, insert, update on merged_leads to crm;

-- Every status that a lead has had, from the one it was created with. The statement that writes the lead writes it. It
-- stays when the lead is merged or deleted, because the reports count it.
create table lead_status_changes (
  store_id uuid not null,
  lead_id uuid not null,
  -- of the lead, once it was changed: the order of a lead's changes
  version integer not null,
  -- null: the lead was created
  from_status text check (from_status in ('pending', 'in_progress', 'converted', 'lost')),
  -- null: the lead was merged into another one
  to_status text check (to_status in ('pending', 'in_progress', 'converted', 'lost')),
  -- whose lead it was at the change
  seller_id uuid,
  -- When the lead had changed into the same status before. A lead that does so twice in a period counts once.
  previous_at timestamptz(3),
  changed_at timestamptz(3) not null,
  primary key (store_id, lead_id, version),
  check (from_status <> to_status)
);
create index lead_status_changes_by_moment on lead_status_changes (store_id, changed_at);
-- What a report reads of leads that changed into a status more than once stands in the index itself.
create index lead_status_changes_again on lead_status_changes (store_id, changed_at)
  include (previous_at, to_status, seller_id) where previous_at is not null;
select keep_to_store('lead_status_changes');
create policy closing on lead_status_changes for select to crm_system using (true);
grant select, insert on lead_status_changes to crm;
grant select (store_id, seller_id, from_status, to_status, changed_at) on lead_status_changes to crm_system;

-- Every seller that a lead has had, in the same way. Sellers that were deleted stay.
create table lead_seller_changes (
  store_id uuid not null,
  lead_id uuid not null,
  -- of the lead, once it was changed
  version integer not null,
  -- null: the lead was created, or had none
  from_seller uuid,
  -- null: it has none any more
  to_seller uuid,
  changed_at timestamptz(3) not null,
  primary key (store_id, lead_id, version),
  check (from_seller is distinct from to_seller)
);
create index lead_seller_changes_by_moment on lead_seller_changes (store_id, changed_at);
select keep_to_store('lead_seller_changes');
create policy closing on lead_seller_changes for select to crm_system using (true);
grant select, insert on lead_seller_changes to crm;
grant select (store_id, from_seller, to_seller, changed_at) on lead_seller_changes to crm_system;

-- The search for leads -------------------------------------------------------------------------------------------------

-- What a search looks through: a row for each lead, which triggers keep. It is a table of its own, because a change of a
-- lead writes every index of `leads` again.
create table lead_texts (
  store_id uuid not null,
  lead_id uuid not null,
  content text not null,
  primary key (store_id, lead_id)
);
-- New entries wait in a list of at most 512 kB, some 300 leads, because to merge them one by one costs five times as much.
create index lead_texts_by_part on lead_texts
  using gin (store_id, content extensions.gin_trgm_ops) with (gin_pending_list_limit = 512);
select keep_to_store('lead_texts');
-- For the search below.
create policy owner on lead_texts to crm_owner using (true) with check (true);
grant select, insert, update, delete on lead_texts to crm;

-- Lower case without accents. The service folds nothing itself, so one rule holds for texts and searches.
create function folded(given text) returns text
language sql immutable parallel safe
return case
  when octet_length(given) = char_length(given) then lower(given)
  else translate(
    replace(replace(replace(replace(
      regexp_replace(normalize(lower(given collate pg_c_utf8), NFKD), '[\u0300-\u036f]+', '', 'g'),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
    'øđðłı', 'oddli')
end;

-- A space stands before each value, so that the beginning of its first word is found.
create function lead_text(name text, customer_phone text, email text, external_id text, tags text[]) returns text
language sql stable parallel safe
return folded(concat_ws(' ', '', name, customer_phone, email, external_id, array_to_string(tags, ' ')));

create function write_lead_text() returns trigger
language plpgsql
set search_path = pg_catalog, crm, pg_temp
as $$
begin
  if tg_op = 'DELETE' then
    delete from lead_texts where store_id = old.store_id and lead_id = old.id;
  else
    insert into lead_texts (store_id, lead_id, content)
    values (new.store_id, new.id, lead_text(new.name, new.customer_phone, new.email, new.external_id, new.tags))
    on conflict (store_id, lead_id) do update set content = excluded.content;
  end if;
  return null;
end
$$;
create trigger change_text after update of name, customer_phone, email, external_id, tags on leads for each row
  when ((old.name, old.customer_phone, old.email, old.external_id, old.tags)
    is distinct from (new.name, new.customer_phone, new.email, new.external_id, new.tags))
  execute function write_lead_text();
create trigger delete_text after delete on leads for each row execute function write_lead_text();

-- The texts of the leads that one statement adds, together. An import adds a thousand at once: docs/measurements/crm.md.
create function write_lead_texts() returns trigger
language plpgsql
set search_path = pg_catalog, crm, pg_temp
as $$
begin
  insert into lead_texts (store_id, lead_id, content)
  select store_id, id, lead_text(name, customer_phone, email, external_id, tags) from added
  on conflict (store_id, lead_id) do update set content = excluded.content;
  return null;
end
$$;
create trigger write_texts after insert on leads referencing new table as added
  for each statement execute function write_lead_texts();

-- The patterns for `like` that find these words anywhere in a text, and a word of one or two characters, which has no
-- trigram, at the beginning of a word.
create function search_patterns(words text[]) returns text[]
language sql stable parallel safe
return (
  select coalesce(array_agg(
    case when char_length(word) < 3 then '% ' else '%' end
      || replace(replace(replace(word, '\', '\\'), '%', '\%'), '_', '\_') || '%'), '{}')
  from (select folded(given) from unnest(words) as given) as folded_words (word));

-- At most `most` leads of the store whose text has all of the words, or one of the spellings. `like` is not leakproof, so
-- under row-level security it could use no index: docs/adr/0011. So this function runs as the owner of the tables, names
-- the store itself, and demands that the connection's store is the same. Its query is planned for its values: a rare
-- word and a common one want different plans.
create function find_lead_texts(store uuid, words text[], spellings text[], most integer) returns setof uuid
language plpgsql stable security definer
set search_path = pg_catalog, crm, extensions, pg_temp
set enable_seqscan = off
as $$
declare
  condition text := (select string_agg(format('content like %L', pattern), ' and ')
    from unnest(search_patterns(words)) as pattern);
begin
  if store is distinct from nullif(current_setting('mostrador.store_id', true), '')::uuid then
    return;
  end if;
  condition := condition || coalesce((select string_agg(format(' or content like %L', pattern), '')
    from unnest(search_patterns(spellings)) as pattern), '');
  return query execute
    format('select lead_id from lead_texts where store_id = %L and (%s) limit %s', store, condition, most);
end
$$;

revoke execute on function folded, lead_text, write_lead_text, write_lead_texts, search_patterns, find_lead_texts
  from public;
grant execute on function folded, lead_text, write_lead_text, write_lead_texts, search_patterns, find_lead_texts to crm;

-- AI agents, with the conditions that activate them --------------------------------------------------------------------

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
select keep_to_store('agents');

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
select keep_to_store('condition_groups');

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
select keep_to_store('conditions');
grant select, insert, update, delete on agents, condition_groups, conditions to crm;

-- Knowledge ------------------------------------------------------------------------------------------------------------

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
select keep_to_store('knowledge_documents');

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
select keep_to_store('knowledge_passages');
grant select, insert, update, delete on knowledge_documents, knowledge_passages to crm;

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

-- Reports --------------------------------------------------------------------------------------------------------------

-- What happened: to the store, or to a seller. How many leads are in a status, or are a seller's, is what came less
-- what went. A change without a status is no fact.
create view report_facts with (security_invoker = true) as
  select store_id, '00000000-0000-0000-0000-000000000000'::uuid as subject, 'created' as metric, changed_at as at,
    1::bigint as amount
  from lead_status_changes where from_status is null
union all
  select store_id, '00000000-0000-0000-0000-000000000000', 'status_' || to_status, changed_at, 1
  from lead_status_changes where to_status is not null
union all
  select store_id, '00000000-0000-0000-0000-000000000000', 'status_' || from_status, changed_at, -1
  from lead_status_changes where from_status is not null
union all
  select store_id, '00000000-0000-0000-0000-000000000000', to_status, changed_at, 1
  from lead_status_changes where to_status in ('converted', 'lost')
union all
  select store_id, seller_id, 'converted', changed_at, 1
  from lead_status_changes where to_status = 'converted' and seller_id is not null
union all
  select store_id, to_seller, 'assigned', changed_at, 1 from lead_seller_changes where to_seller is not null
union all
  select store_id, from_seller, 'assigned', changed_at, -1 from lead_seller_changes where from_seller is not null;
grant select on report_facts to crm, crm_system;

-- Running totals. A quarter-hour has a row only if something happened in it. Its counts are the totals from the
-- beginning of time to the end of that quarter, in the order of the service's list of metrics. The list only grows: a
-- missing element of a shorter array is zero.
create table report_quarters (
  store_id uuid not null,
  subject uuid not null,
  -- the start of the quarter-hour, in UTC
  quarter timestamptz not null,
  counts bigint[] not null,
  primary key (store_id, subject, quarter)
);
-- One row. Quarters before `closed_until` are closed and never change. Reports count the rest from the facts.
create table report_closing (
  one boolean primary key default true check (one),
  closed_until timestamptz not null check (extract(epoch from closed_until) % 900 = 0),
  -- raised by each reset: totals that were read before it may differ from totals read now
  generation integer not null default 1
);
insert into report_closing (closed_until) values ('1970-01-01T00:00:00Z');

alter table report_quarters enable row level security, force row level security;
create policy store on report_quarters to crm
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
create policy closing on report_quarters to crm_system using (true) with check (true);
alter table report_closing enable row level security, force row level security;
create policy reading on report_closing for select to crm using (true);
create policy closing on report_closing to crm_system using (true) with check (true);
grant select on report_quarters, report_closing to crm;
grant select, insert, delete on report_quarters to crm_system;
grant select, update on report_closing to crm_system;

-- Totals of lists ------------------------------------------------------------------------------------------------------

-- How many rows the lists of a store have, by status and owner: docs/adr/0028.

-- The rows that are counted. `owner` is the seller or the endpoint that the list filters by.
create table list_totals (
  store_id uuid not null,
  list text not null,
  status text,
  owner uuid,
  rows bigint not null,
  constraint list_totals_group unique nulls not distinct (store_id, list, status, owner)
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 500
);
-- What is not counted yet. A transaction that changes a list only inserts, so it waits for no other. A job adds the
-- changes to the totals. Rows live for milliseconds, so autovacuum starts early, by the number of dead rows whatever the
-- table's size.
create table list_total_changes (
  store_id uuid not null,
  list text not null,
  id bigint generated always as identity,
  status text,
  owner uuid,
  change integer not null,
  primary key (store_id, list, id)
) with (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 5000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0
);
-- The lists whose totals are right. Without a row, some rows may be missing, and readers count.
create table list_totals_built (
  store_id uuid not null,
  list text not null,
  primary key (store_id, list)
);

select keep_to_store('list_totals');
create policy folding on list_totals to crm_system using (true) with check (true);
select keep_to_store('list_total_changes');
create policy folding on list_total_changes to crm_system using (true) with check (true);
-- What a foreign key changes is the owner's work, and so are its triggers.
create policy owner on list_total_changes for insert to crm_owner with check (true);
select keep_to_store('list_totals_built');
create policy verifying on list_totals_built for select to crm_system using (true);
grant select, insert, delete on list_totals, list_total_changes to crm;
grant select, insert on list_totals_built to crm;
grant select, insert, update on list_totals to crm_system;
grant select, insert, delete on list_total_changes to crm_system;
grant select on list_totals_built to crm_system;

create function count_leads() returns trigger
language plpgsql
set search_path = pg_catalog, crm, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    insert into list_total_changes (store_id, list, status, owner, change)
    select store_id, 'leads', status, seller_id, count(*) from added group by store_id, status, seller_id;
  elsif tg_op = 'DELETE' then
    insert into list_total_changes (store_id, list, status, owner, change)
    select store_id, 'leads', status, seller_id, -count(*) from removed group by store_id, status, seller_id;
  else
    insert into list_total_changes (store_id, list, status, owner, change)
    values (old.store_id, 'leads', old.status, old.seller_id, -1), (new.store_id, 'leads', new.status, new.seller_id, 1);
  end if;
  return null;
end
$$;

create function count_agents() returns trigger
language plpgsql
set search_path = pg_catalog, crm, pg_temp
as $$
begin
  if tg_op <> 'INSERT' then
    insert into list_total_changes (store_id, list, status, change)
    values (old.store_id, 'agents', case when old.is_active then 'active' else 'inactive' end, -1);
  end if;
  if tg_op <> 'DELETE' then
    insert into list_total_changes (store_id, list, status, change)
    values (new.store_id, 'agents', case when new.is_active then 'active' else 'inactive' end, 1);
  end if;
  return null;
end
$$;

-- For a list without groups. The argument is its name.
create function count_rows() returns trigger
language plpgsql
set search_path = pg_catalog, crm, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    insert into list_total_changes (store_id, list, change) values (new.store_id, tg_argv[0], 1);
  else
    insert into list_total_changes (store_id, list, change) values (old.store_id, tg_argv[0], -1);
  end if;
  return null;
end
$$;

revoke execute on function count_leads, count_agents, count_rows from public;
grant execute on function count_leads, count_agents, count_rows to crm;

-- An update that moves no row to another group fires no trigger.
create trigger count_added after insert on leads referencing new table as added
  for each statement execute function count_leads();
create trigger count_removed after delete on leads referencing old table as removed
  for each statement execute function count_leads();
create trigger count_moved after update on leads for each row
  when (old.status is distinct from new.status or old.seller_id is distinct from new.seller_id)
  execute function count_leads();
create trigger count_changed after insert or delete on sellers for each row execute function count_rows('sellers');
create trigger count_changed after insert or delete on agents for each row execute function count_agents();
create trigger count_moved after update on agents for each row
  when (old.is_active is distinct from new.is_active) execute function count_agents();
create trigger count_changed after insert or delete on knowledge_documents
  for each row execute function count_rows('documents');

-- The rows of each list, by what it filters. Totals are built from it.
create view list_rows with (security_invoker = true) as
  select store_id, 'leads' as list, status, seller_id as owner from leads
union all
  select store_id, 'sellers', null, null from sellers
union all
  select store_id, 'agents', case when is_active then 'active' else 'inactive' end, null from agents
union all
  select store_id, 'documents', null, null from knowledge_documents;
grant select on list_rows to crm;

-- Tables of every service ----------------------------------------------------------------------------------------------

-- The outbox: the wake-ups and events of a transaction, which the relay delivers after its commit.
-- Rows live for milliseconds, so autovacuum starts early, by the number of dead rows whatever the table's size.
create table outbox (
  id uuid primary key default uuidv7(),
  store_id uuid not null,
  kind text not null check (kind in ('workflow', 'event')),
  -- workflow: the entity workflow's name; event: the event's type
  topic text not null,
  -- workflow
  entity_id uuid,
  lead_id uuid,
  signal text,
  -- event
  data jsonb,
  created_at timestamptz(3) not null default now(),
  attempts integer not null default 0,
  -- when the relay may claim the row: a claim moves it to the end of the lease, a failure to the next attempt
  -- (in microseconds: rounded up to milliseconds, a new row would not be due yet)
  next_attempt_at timestamptz not null default now(),
  last_error text,
  check (case kind when 'workflow' then entity_id is not null and signal is not null else data is not null end)
) with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 5000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0
);
create index outbox_due on outbox (kind, next_attempt_at);

select keep_to_store('outbox');
create policy relay on outbox to crm_system using (true) with check (true);
grant insert, select on outbox to crm;
grant select, insert, update, delete on outbox to crm_system;

-- Stored answers by Idempotency-Key. The transaction that does the work writes its answer here.
create table idempotency_records (
  store_id uuid not null,
  -- method and concrete path: `POST /appointments`
  scope text not null,
  key text not null,
  -- SHA-256 in hex of the request's canonical body
  fingerprint text not null,
  -- the reply's bytes as they were sent
  reply bytea not null,
  etag text,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null default now() + interval '24 hours',
  primary key (store_id, scope, key)
) with (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 500
);
create index idempotency_records_expiry on idempotency_records (expires_at);

select keep_to_store('idempotency_records');
create policy purge on idempotency_records to crm_system using (true);
grant select, insert, update on idempotency_records to crm;
grant select, delete on idempotency_records to crm_system;

-- Events for the public feed, which the relay sends to the events service in the order of their positions.
-- Rows live for milliseconds, so autovacuum starts early, by the number of dead rows whatever the table's size.
create table feed_entries (
  -- drawn while the transaction holds the entity's lock, so it rises with each event of an entity
  position bigint generated always as identity primary key,
  -- the event's id, under which the feed knows a repeated entry
  id uuid not null default uuidv7(),
  store_id uuid not null,
  type text not null,
  entity_type text not null,
  entity_id uuid not null,
  -- `json`: the members keep the order that the API has
  data json not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  -- The events service refused this entry. To send it again, set both to null.
  set_aside_at timestamptz(3),
  last_error text,
  check ((set_aside_at is null) = (last_error is null))
) with (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 5000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0
);

select keep_to_store('feed_entries');
create policy relay on feed_entries to crm_system using (true) with check (true);
grant insert, select on feed_entries to crm;
grant select, update, delete on feed_entries to crm_system;

drop function keep_to_store(regclass);
