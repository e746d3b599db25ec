import { randomBytes, randomUUID } from 'node:crypto';
import { createVault, type Vault } from '@mostrador/kit/clients/secrets';
import type { Check } from '@mostrador/kit/process/health';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from './servers/database.ts';

type Checked = {
  readonly service: 'assistant' | 'messaging' | 'scheduling';
  readonly checkOf: (used: TestDatabase & { readonly vault: Vault }) => Check;
  /** Writes a connection of a store with sealed credentials. */
  readonly connect: (service: TestDatabase, vault: Vault, storeId: string, id: string) => Promise<unknown>;
};

/** The tests of a service whose readiness depends on the keys of its stored credentials. */
export function testCredentialsCheck({ service: name, checkOf, connect }: Checked): void {
  const newKey = () => randomBytes(32).toString('base64');
  const [k1, k2] = [newKey(), newKey()];
  let service: TestDatabase;

  beforeAll(async () => {
    service = await createTestDatabase(name);
    for (const keys of [`k1:${k1}`, `k1:${k1}`, `k2:${k2},k1:${k1}`]) {
      await connect(service, createVault(keys), randomUUID(), randomUUID());
    }
  });
  afterAll(() => service?.drop());

  const check = (keys: string) => checkOf({ ...service, vault: createVault(keys) })();

  test('a process whose keys open all stored credentials is ready', () => check(`k3:${newKey()},k2:${k2},k1:${k1}`));

  test.each([
    ['lacks', 'k1', `k2:${k2}`],
    ['has another text for', 'k2', `k2:${newKey()},k1:${k1}`],
  ])('a process that %s the key %s is not ready, and the reason names that key', async (_, key, keys) => {
    await expect(check(keys)).rejects.toThrow(
      `ENCRYPTION_KEYS cannot open what the key ${key} sealed: restore that key.`,
    );
  });
}
