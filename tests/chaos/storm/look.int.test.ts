import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lookAtDatabase } from './look.ts';

// The record of a run must match the database, also when the database is corrupt.

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('scheduling');
});
afterAll(() => database?.drop());

const [one, other] = [randomUUID(), randomUUID()];

const newStore = async (id: string) => {
  await database.adminSql`insert into accounts.stores (id, name, tier, timezone, locale)
    values (${id}, 'Padaria', 'pro', 'America/Sao_Paulo', 'pt-BR')`;
  const [lead] = await database.adminSql`
    insert into crm.leads (store_id, name, customer_phone) values (${id}, 'Ana first', '5511987654321') returning id`;
  return lead?.id as string;
};

test('a row that names a lead of another store is a stray, and other rows are not', async () => {
  const { adminSql } = database;
  const [ownLead, othersLead] = [await newStore(one), await newStore(other)];
  const appointment = (store: string, lead: string) => adminSql`
    insert into scheduling.appointments (store_id, lead_id, title, notes, scheduled_at, duration_minutes)
    values (${store}, ${lead}, 'Corte', ${`chaos ${store}`}, now(), 30) returning id`;
  await appointment(one, ownLead);
  expect(await lookAtDatabase(adminSql)).toMatchObject({ strays: [], corruption: [] });
  const [stray] = await appointment(one, othersLead);
  const { strays, rows } = await lookAtDatabase(adminSql);
  expect(strays).toEqual([expect.stringContaining(stray?.id)]);
  expect(rows.filter(({ kind }) => kind === 'appointment')).toHaveLength(2);
});

test('an entry left in an outbox is counted', async () => {
  await database.adminSql`
    insert into crm.outbox (store_id, kind, topic, data) values (${one}, 'event', 'crm.lead.created', '{}')`;
  const { waiting } = await lookAtDatabase(database.adminSql);
  expect(waiting.filter(({ count }) => count > 0)).toEqual([{ where: 'the outbox of crm', count: 1 }]);
});

test('an index that does not match its table is reported as corrupt', async () => {
  const { adminSql } = database;
  const place = (result: string) =>
    adminSql.unsafe(`create or replace function crm.place(integer) returns integer
      language plpgsql immutable as 'begin return ${result}; end'`);
  await place('$1');
  await adminSql`create table crm.counted (n integer)`;
  await adminSql`create index counted_place on crm.counted (crm.place(n))`;
  await adminSql`insert into crm.counted select generate_series(1, 500)`;
  expect((await lookAtDatabase(adminSql)).corruption).toEqual([]);
  await place('-$1');
  expect((await lookAtDatabase(adminSql)).corruption).toEqual([expect.stringContaining('counted_place')]);
});
