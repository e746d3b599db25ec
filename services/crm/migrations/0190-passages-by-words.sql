-- As before, with each word once. The previous version finds the same passages.
create or replace function search_query(language text, phrase text, folded_phrase text, exact boolean) returns tsquery
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
return case
  when exact then websearch_to_tsquery(language::regconfig, phrase) || websearch_to_tsquery(language::regconfig, folded_phrase)
  else (
    select coalesce(string_agg('''' || replace(replace(word, '\', '\\'), '''', '''''') || '''', ' | '), '')
    from unnest(tsvector_to_array(
      to_tsvector(language::regconfig, phrase) || to_tsvector(language::regconfig, folded_phrase))) word
  )::tsquery
end;

-- The query for what has at least this number of the words, each of which is a query of its own. Null: there are fewer.
create function with_words(words tsquery[], at_least integer) returns tsquery
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  word tsquery;
  queries tsquery[]; -- of the words until here, by the number of words
  found tsquery;
begin
  foreach word in array words loop
    for number in reverse at_least..1 loop
      found := case when number = 1 then word else queries[number - 1] && word end;
      queries[number] := coalesce(queries[number] || found, found, queries[number]);
    end loop;
  end loop;
  return queries[at_least];
end
$$;

-- As search_passages, which the previous version calls: the best passages of each language, of which it reads fewer. To
-- rank a passage costs more than to find it, so it ranks those with three of the words first, then those with two, until
-- it has enough. Those with more words have nearly always the better score. `misspelled` are the words that are in no
-- passage of the store.
create function rank_passages(
  store uuid, phrase text, folded_phrase text, words text[], folded_words text[], exact boolean, most integer
) returns table (document_id uuid, "position" integer, score real, misspelled text[])
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
  terms tsquery[];
  spellings text[]; -- parallel to terms
  unknown text[]; -- parallel to terms; null where a passage has the word
  found tid[];
begin
  if store is distinct from nullif(current_setting('mostrador.store_id', true), '')::uuid then
    return;
  end if;
  for spoken in select distinct d.language from knowledge_documents d where d.store_id = store and d.is_active loop
    query := search_query(spoken, phrase, folded_phrase, exact);
    select coalesce(array_agg(search_query(spoken, w.asked, w.folded, false)), '{}'), coalesce(array_agg(w.folded), '{}')
      into terms, spellings
      from unnest(words, folded_words) w (asked, folded)
      -- Without the words that say nothing in this language.
      where to_tsvector(spoken::regconfig, w.asked) <> '';

    found := '{}';
    for number in reverse case when exact then 1 else greatest(least(cardinality(terms), 3), 1) end..1 loop
      found := found || array(
        select p.ctid
        from knowledge_passages p, (select case number when 1 then query else with_words(terms, number) end as wanted) q
        where p.store_id = store and p.language = spoken and p.lexemes @@ q.wanted
        order by ts_rank(p.lexemes, query) desc, p.document_id, p.position
        limit 100
      );
      exit when cardinality(found) >= most;
    end loop;

    unknown := array_fill(null::text, array[cardinality(terms)]);
    for place in 1..case when exact then 0 else cardinality(terms) end loop
      -- Most words are in what was found, which is read faster than the index.
      continue when exists (
        select from (select p.lexemes from knowledge_passages p where p.ctid = any (found) offset 0) f
        where f.lexemes @@ terms[place]);
      continue when exists (
        select from knowledge_passages p
        where p.store_id = store and p.language = spoken and p.lexemes @@ terms[place]);
      unknown[place] := spellings[place];
    end loop;
    if array_remove(unknown, null) <> '{}' then
      found := found || array(
        select p.ctid from knowledge_passages p
        where p.store_id::text = store::text and p.language = spoken
          and p.folded %> any (array_remove(unknown, null))
        limit 100
      );
    end if;

    return query
      select p.document_id, p.position,
        (0.7 * coalesce((
          select avg(case when p.lexemes @@ t.term then 1 else coalesce(word_similarity(t.word, p.folded), 0) end)
          from unnest(terms, unknown) t (term, word)
        ), 0) + 0.3 * ts_rank_cd(p.lexemes, query, 32))::real as score,
        array_remove(unknown, null)
      from knowledge_passages p
      where p.store_id = store and p.ctid = any (found)
      order by score desc, p.document_id, p.position
      limit most;
  end loop;
end
$$;

-- As before, with the configuration looked up once, and a word stemmed once if it has no accents.
create or replace function matching_words(
  phrase text, folded_phrase text, query_words text[], exact boolean, language text, lowered text[], folded text[]
) returns setof bigint
language sql stable
set search_path = pg_catalog, crm, extensions, pg_temp
as $$
  with q as materialized (
    select config,
      tsvector_to_array(to_tsvector(config, phrase) || to_tsvector(config, folded_phrase)) as lexemes,
      array(select word from unnest(query_words) word where not exact and to_tsvector(config, word) <> '') as likely
    from (select language::regconfig as config) c
  )
  select w.place
  from q, unnest(lowered, folded) with ordinality w (lowered, folded, place)
  where tsvector_to_array(to_tsvector(q.config, w.lowered)) && q.lexemes
    or w.lowered <> w.folded and tsvector_to_array(to_tsvector(q.config, w.folded)) && q.lexemes
    or exists (select from unnest(q.likely) x (word) where similarity(x.word, w.folded) >= 0.5)
$$;
revoke execute on function with_words, rank_passages from public;
grant execute on function rank_passages to crm;
