-- What a search for leads looks through: a row for each lead, which triggers keep, so that the previous version keeps it
-- too. A table of its own, because a change of a lead writes every index of `leads` again.
create table lead_texts (
  store_id uuid not null,
  lead_id uuid not null,
  content text not null,
  primary key (store_id, lead_id)
);

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
create trigger write_text after insert on leads for each row execute function write_lead_text();
create trigger change_text after update of name, customer_phone, email, external_id, tags on leads for each row
  when ((old.name, old.customer_phone, old.email, old.external_id, old.tags)
    is distinct from (new.name, new.customer_phone, new.email, new.external_id, new.tags))
  execute function write_lead_text();
create trigger delete_text after delete on leads for each row execute function write_lead_text();

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

alter table lead_texts enable row level security;
alter table lead_texts force row level security;
create policy store on lead_texts to crm
  using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
  with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
grant select, insert, update, delete on lead_texts to crm;
-- For the search, and for the next file, which writes the texts of the leads from before.
create policy owner on lead_texts to crm_owner using (true) with check (true);
create policy owner on leads for select to crm_owner using (true);

revoke execute on function folded, lead_text, write_lead_text, search_patterns, find_lead_texts from public;
grant execute on function folded, lead_text, write_lead_text, search_patterns, find_lead_texts to crm;
