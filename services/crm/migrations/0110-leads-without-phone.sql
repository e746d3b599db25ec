-- A customer whom the channel names without a phone, by an id of its own. The previous version writes none, and messaging
-- asks for the first one only after crm is rolled out.
-- squawk-ignore ban-drop-not-null
alter table leads alter column customer_phone drop not null;
alter table leads
  add column channel_user_id text,
  -- On the channel, without `@`.
  add column username text,
  add constraint leads_identity check (customer_phone is not null or channel_user_id is not null) not valid;

-- As before, with the username. `lead_text` keeps its arguments, because the previous version's triggers are these.
create or replace function write_lead_text() returns trigger
language plpgsql
set search_path = pg_catalog, crm, pg_temp
as $$
begin
  if tg_op = 'DELETE' then
    delete from lead_texts where store_id = old.store_id and lead_id = old.id;
  else
    insert into lead_texts (store_id, lead_id, content)
    values (new.store_id, new.id,
      lead_text(concat_ws(' ', new.name, new.username), new.customer_phone, new.email, new.external_id, new.tags))
    on conflict (store_id, lead_id) do update set content = excluded.content;
  end if;
  return null;
end
$$;
create trigger change_username after update of username on leads for each row
  when (old.username is distinct from new.username) execute function write_lead_text();

create or replace function write_lead_texts() returns trigger
language plpgsql
set search_path = pg_catalog, crm, pg_temp
as $$
begin
  insert into lead_texts (store_id, lead_id, content)
  select store_id, id, lead_text(concat_ws(' ', name, username), customer_phone, email, external_id, tags) from added
  on conflict (store_id, lead_id) do update set content = excluded.content;
  return null;
end
$$;
