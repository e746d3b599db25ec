import {
  accessChangedSubject,
  createApiKey,
  getApiKey,
  listApiKeys,
  recordKeyUses,
  revokeApiKey,
  rotateApiKey,
  scopes,
  updateStore,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { expectDelay } from '@mostrador/testing/delay';
import { waitFor } from '@mostrador/testing/wait';
import { expect, test } from 'vitest';
import { accountsForFile } from '../../test/accounts.ts';

const accounts = accountsForFile();

test('a key has all scopes unless it is created with fewer, and lists show no secret', async () => {
  const { store, apiKey, key } = await accounts.newStore();
  expect(key).toMatchObject({ store_id: store.id, scopes, expires_at: null, revoked_at: null, last_used_at: null });
  const expires_at = '2030-01-01T00:00:00+02:00';
  const made = await accounts.admin(createApiKey, {
    body: { store_id: store.id, name: 'reader', scopes: ['leads:read'], expires_at },
  });
  expect(made.key).toMatchObject({ scopes: ['leads:read'], expires_at: '2029-12-31T22:00:00.000Z' });
  const { keys } = await accounts.admin(listApiKeys, { body: { store_id: store.id } });
  expect(keys.map(({ name }) => name)).toEqual(['reader', 'test']);
  expect(JSON.stringify(keys)).not.toContain(apiKey.split('_')[3]);
});

test('the gateway reads a key of the store that it names, and no other', async () => {
  const { store, key } = await accounts.newStore({ scopes: ['leads:read'] });
  const other = await accounts.newStore();
  const read = (storeId: string, key_id: string) =>
    accounts.rpc.call(getApiKey, { body: { key_id } }, testContext({ storeId }));
  expect(await read(store.id, key.id)).toEqual(key);
  for (const [storeId, keyId] of [
    [store.id, other.key.id],
    [store.id, 'unknown12345'],
  ] as const)
    await expect(read(storeId, keyId)).rejects.toMatchObject({ code: 'invalid_api_key' });
});

test('a revocation, a rotation and a change of a store notify the gateways', async () => {
  const { store, key } = await accounts.newStore();
  let notices = 0;
  accounts.nats.nats.subscribe(accessChangedSubject, { callback: () => void notices++ });
  await accounts.admin(rotateApiKey, { body: { key_id: key.id } });
  await accounts.admin(revokeApiKey, { body: { key_id: key.id } });
  await accounts.admin(updateStore, { body: { store_id: store.id, tier: 'free' } });
  await waitFor(() => notices === 3, { description: 'three notices' });
});

test('a rotation makes a key like the old one, which ends after the overlap', async () => {
  const { key } = await accounts.newStore({ scopes: ['leads:read'] });
  const sinceMs = Date.now();
  const rotated = await accounts.admin(rotateApiKey, { body: { key_id: key.id, overlap_seconds: 60 } });
  expect(rotated.key).toMatchObject({ name: 'test', scopes: ['leads:read'], expires_at: null });
  expect(rotated.replaced).toMatchObject({ id: key.id, expires_at: expect.any(String) });
  expectDelay(rotated.replaced.expires_at, { sinceMs, least: 60, most: 60 });
});

test('a key without named scopes stores null and has all scopes, also future ones and after a rotation', async () => {
  const { key } = await accounts.newStore();
  const { key: rotated } = await accounts.admin(rotateApiKey, { body: { key_id: key.id } });
  for (const { id, scopes: shown } of [key, rotated]) {
    expect(shown).toEqual(scopes);
    expect(await accounts.adminSql`select scopes from api_keys where id = ${id}`).toEqual([{ scopes: null }]);
  }
});

test('a revoked, expired or unknown key cannot be rotated', async () => {
  const { key } = await accounts.newStore();
  await accounts.admin(revokeApiKey, { body: { key_id: key.id } });
  const past = await accounts.newStore({ expires_at: '2020-01-01T00:00:00Z' });
  for (const key_id of [key.id, past.key.id, 'unknown12345']) {
    await expect(accounts.admin(rotateApiKey, { body: { key_id } })).rejects.toMatchObject({
      code: 'api_key_not_found',
    });
  }
});

test('a second revocation keeps the time of the first', async () => {
  const { key } = await accounts.newStore();
  const first = await accounts.admin(revokeApiKey, { body: { key_id: key.id } });
  const second = await accounts.admin(revokeApiKey, { body: { key_id: key.id } });
  expect(first.revoked_at).toMatch(/Z$/);
  expect(second.revoked_at).toBe(first.revoked_at);
  await expect(accounts.admin(revokeApiKey, { body: { key_id: 'unknown12345' } })).rejects.toMatchObject({
    code: 'api_key_not_found',
  });
});

test('the last use of a key moves only forwards, and never into the future', async () => {
  const { key, store } = await accounts.newStore();
  const report = (...times: string[]) =>
    accounts.admin(recordKeyUses, { body: { uses: times.map((used_at) => ({ key_id: key.id, used_at })) } });
  const lastUsed = async () => {
    const { keys } = await accounts.admin(listApiKeys, { body: { store_id: store.id } });
    return keys.find(({ id }) => id === key.id)?.last_used_at;
  };
  await report('2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z', '2026-01-01T00:00:00Z');
  expect(await lastUsed()).toBe('2026-01-03T00:00:00.000Z');
  await report('2026-01-01T00:00:00Z');
  expect(await lastUsed()).toBe('2026-01-03T00:00:00.000Z');
  const sinceMs = Date.now();
  await report('2999-01-01T00:00:00Z');
  expectDelay((await lastUsed()) ?? null, { sinceMs, least: 0, most: 0 });
  await accounts.admin(recordKeyUses, {
    body: { uses: [{ key_id: 'unknown12345', used_at: '2026-01-01T00:00:00Z' }] },
  });
});

test('only the hash of a key is stored', async () => {
  const { apiKey, store } = await accounts.newStore();
  const made = await accounts.admin(createApiKey, { body: { store_id: store.id, name: 'second' } });
  const [row] = await accounts.adminSql`
    select string_agg(k::text || encode(k.key_hash, 'escape'), ' ') as everything from api_keys k`;
  for (const key of [apiKey, made.api_key]) expect(row?.everything).not.toContain(key.split('_')[3]);
});
