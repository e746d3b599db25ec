import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { secretOperations } from '@mostrador/contracts';
import type { SealedTexts } from '@mostrador/kit/clients/reseal';
import { serviceNames } from '@mostrador/platform/processes';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sealedConnections } from '../../../../services/assistant/src/models/credentials.ts';
import { sealedEndpoints } from '../../../../services/events/src/webhooks/endpoints/secrets.ts';
import { sealedChannels } from '../../../../services/messaging/src/channels/credentials.ts';
import { sealedCalendars } from '../../../../services/scheduling/src/calendars/credentials.ts';
import { readSealed } from './database.repository.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../../../docs/operations/encryption-keys.md'), 'utf8');
const sealed: Readonly<Record<string, readonly SealedTexts[]>> = {
  assistant: sealedConnections,
  events: sealedEndpoints,
  messaging: sealedChannels,
  scheduling: sealedCalendars,
};

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('accounts');
});
afterAll(() => database?.drop());

/** Every column of the migrated schemas in which a text is sealed, or that says by which key. */
const columnsLike = async (pattern: string): Promise<string[]> => {
  const rows = await database.adminSql<{ name: string }[]>`
    select table_schema || '.' || table_name || '.' || column_name as name from information_schema.columns
    where table_schema = any(${[...serviceNames]}::text[]) and column_name like ${pattern} order by 1`;
  return rows.map(({ name }) => name);
};

const known = (member: 'column' | 'keyColumn') =>
  Object.entries(sealed)
    .flatMap(([service, texts]) => texts.map((text) => `${service}.${text.table}.${text[member]}`))
    .sort();

test('`secrets reseal` knows every column in which a text is sealed, and the one that names its key', async () => {
  expect(Object.keys(secretOperations).sort()).toEqual(Object.keys(sealed));
  expect(known('column')).toEqual(await columnsLike('sealed\\_%'));
  expect(known('keyColumn')).toEqual(await columnsLike('%\\_key\\_id'));
});

test('the doctor counts what a key seals in every column, and nothing is left after the statements of the page', async () => {
  const { adminSql } = database;
  const [storeId, id, text] = [randomUUID(), randomUUID(), `v1.k1.${randomBytes(8).toString('hex')}`];
  await adminSql`
    insert into messaging.channels (store_id, provider, sealed_credentials, sealed_page_token)
    values (${storeId}, 'sandbox', ${text}, ${text})`;
  await adminSql`
    insert into scheduling.calendar_connections (store_id, id, provider, sealed_credentials, sealed_feed_token)
    values (${storeId}, ${id}, 'feed', ${text}, ${text})`;
  await adminSql`
    insert into events.webhook_endpoints
      (store_id, id, url, ordering, payload, max_in_flight, sealed_secrets, planned_through)
    values (${storeId}, ${id}, 'https://example.com/', 'entity', 'object', 5, ${text}, 0)`;
  await adminSql`
    insert into assistant.provider_connections (store_id, id, provider, model, sealed_credentials)
    values (${storeId}, ${id}, 'gemini', 'flash', ${text})`;
  await adminSql`
    insert into assistant.embedders (store_id, id, url, model, sealed_credentials)
    values (${storeId}, ${id}, 'https://models.example.com/v1', 'm', ${text})`;
  const counted = (await readSealed(adminSql)).map(({ service, key_id, rows }) => [service, key_id, rows]);
  expect(counted).toEqual(Object.entries(sealed).map(([service, texts]) => [service, 'k1', texts.length]));

  const statements = /## A key is wrong or lost[\s\S]*?```sql\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  await adminSql.unsafe(statements);
  expect(await readSealed(adminSql)).toEqual([]);
});
