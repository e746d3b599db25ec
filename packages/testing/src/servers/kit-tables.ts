import { readFile } from 'node:fs/promises';
import postgres from 'postgres';
import { createTestDatabase, type TestDatabase } from './database.ts';

/** The service whose roles the kit's own tests borrow. */
const service = 'messaging';

/** A database whose schema holds the kit's tables and `notes`, a plain table of a store, and nothing of a service. */
export async function createKitDatabase(): Promise<TestDatabase> {
  const test = await createTestDatabase(service);
  await test.adminSql.unsafe(`
    drop schema ${service} cascade;
    create schema ${service} authorization ${service}_owner;
    grant usage on schema ${service} to ${service}, ${service}_system`);
  const owner = postgres(test.ownerUrl, { max: 1, onnotice: () => {} });
  for (const name of ['outbox', 'idempotency'] as const) await owner.unsafe(await tableText(name));
  await owner.unsafe(`
    create table notes (store_id uuid not null, id uuid primary key default uuidv7(), text text not null, unique (store_id, text));
    alter table notes enable row level security;
    alter table notes force row level security;
    create policy store on notes to ${service}
      using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
      with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
    grant select, insert, update, delete on notes to ${service}`);
  await owner.end();
  return test;
}

/** The package that holds the canonical text of each table. */
const owners = { outbox: 'kit', idempotency: 'kit', rollups: 'rollups' } as const;

/** The canonical text of some of the packages' tables, for the roles of the kit's own tests. */
export async function tableText(name: keyof typeof owners): Promise<string> {
  const text = await readFile(new URL(`../../../${owners[name]}/sql/${name}.sql`, import.meta.url), 'utf8');
  return text.replaceAll(/\bto service(_system)?\b/g, `to ${service}$1`);
}
