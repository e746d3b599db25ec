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
drop trigger write_text on leads;
revoke execute on function write_lead_texts from public;
grant execute on function write_lead_texts to crm;
