import postgres from 'postgres';
import type { TestDatabase } from './database.ts';
import { createKitDatabase } from './kit-tables.ts';

// A list of things, with a status and an owner. When an owner is deleted, their things have none.
const schema = `
  create table owners (store_id uuid not null, id uuid not null, primary key (store_id, id));
  create table things (
    store_id uuid not null, id uuid not null default uuidv7(), status text not null, owner uuid, note text,
    primary key (store_id, id),
    foreign key (store_id, owner) references owners (store_id, id) on delete set null (owner));
  create view list_rows with (security_invoker = true) as
    select store_id, 'things' as list, status, owner from things;
  create function count_things() returns trigger language plpgsql set search_path = pg_catalog, messaging, pg_temp as $$
  begin
    if tg_op = 'INSERT' then
      insert into list_total_changes (store_id, list, status, owner, change)
      select store_id, 'things', status, owner, count(*) from added group by 1, 3, 4;
    elsif tg_op = 'DELETE' then
      insert into list_total_changes (store_id, list, status, owner, change)
      select store_id, 'things', status, owner, -count(*) from removed group by 1, 3, 4;
    else
      insert into list_total_changes (store_id, list, status, owner, change)
      values (old.store_id, 'things', old.status, old.owner, -1), (new.store_id, 'things', new.status, new.owner, 1);
    end if;
    return null;
  end $$;
  create trigger count_added after insert on things referencing new table as added
    for each statement execute function count_things();
  create trigger count_removed after delete on things referencing old table as removed
    for each statement execute function count_things();
  create trigger count_moved after update on things for each row
    when (old.status is distinct from new.status or old.owner is distinct from new.owner)
    execute function count_things();
  grant select, insert, update, delete on owners, things to messaging;
  grant select on list_rows to messaging;`;

export const thingStatuses = ['new', 'open', 'done'] as const;

/** A database with the kit's tables, and a table \`things\` whose rows are listed by status and owner. */
export async function createThingsDatabase(): Promise<TestDatabase> {
  const kit = await createKitDatabase();
  const owner = postgres(kit.ownerUrl, { max: 1, onnotice: () => {} });
  await owner.unsafe(schema);
  for (const table of ['owners', 'things']) {
    await owner.unsafe(`
      alter table ${table} enable row level security;
      alter table ${table} force row level security;
      create policy store on ${table} to messaging
        using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
      create policy owner on ${table} to messaging_owner using (true)`);
  }
  await owner.end();
  return kit;
}
