-- no-transaction
-- Writes the texts of the leads from before, in transactions of 2,000 leads, so it holds no lock for long. A text that a
-- trigger has written stays.
do $$
declare
  last_store uuid := '00000000-0000-0000-0000-000000000000';
  last_lead uuid := '00000000-0000-0000-0000-000000000000';
begin
  loop
    with batch as (
      select store_id, id, lead_text(name, customer_phone, email, external_id, tags) as content
      from leads where (store_id, id) > (last_store, last_lead) order by store_id, id limit 2000),
    written as (
      insert into lead_texts (store_id, lead_id, content) select store_id, id, content from batch on conflict do nothing)
    select store_id, id into last_store, last_lead from batch order by store_id desc, id desc limit 1;
    exit when not found;
    commit;
  end loop;
  -- A lead that was deleted between the reading of its batch and the commit.
  delete from lead_texts where not exists (
    select from leads where leads.store_id = lead_texts.store_id and leads.id = lead_texts.lead_id);
end
$$;
