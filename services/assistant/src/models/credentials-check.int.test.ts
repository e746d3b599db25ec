import { randomBytes, randomUUID } from 'node:crypto';
import { createVault, type Vault } from '@mostrador/kit/clients/secrets';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sealCredentials } from './credentials.ts';
import { credentialsCheck } from './credentials-check.ts';

const newKey = () => randomBytes(32).toString('base64');
const [k1, k2] = [newKey(), newKey()];
let service: TestDatabase;

beforeAll(async () => {
  service = await createTestDatabase('assistant');
  await connect(createVault(`k1:${k1}`));
  await connect(createVault(`k1:${k1}`));
  await connect(createVault(`k2:${k2},k1:${k1}`));
});
afterAll(() => service?.drop());

async function connect(vault: Vault): Promise<void> {
  const [storeId, id] = [randomUUID(), randomUUID()];
  const sealed = sealCredentials(vault, storeId, id, { api_key: 'secret' });
  await service.adminSql`
    insert into provider_connections (store_id, id, provider, sealed_credentials)
    values (${storeId}, ${id}, 'gemini', ${sealed})`;
}

const check = (keys: string) => credentialsCheck({ ...service, vault: createVault(keys) })();

test('a process whose keys open the stored key of every provider is ready', () =>
  check(`k3:${newKey()},k2:${k2},k1:${k1}`));

test.each([
  ['lacks', 'k1', `k2:${k2}`],
  ['has another text for', 'k2', `k2:${newKey()},k1:${k1}`],
])('a process that %s the key %s is not ready, and the reason names that key', async (_, key, keys) => {
  await expect(check(keys)).rejects.toThrow(
    `ENCRYPTION_KEYS cannot open what the key ${key} sealed: restore that key.`,
  );
});
