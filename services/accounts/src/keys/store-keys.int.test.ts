import { createStoreKey, listStoreKeys, revokeStoreKey, rotateStoreKey } from '@mostrador/contracts';
import { expectDelay } from '@mostrador/testing/delay';
import { expect, test } from 'vitest';
import { accountsForFile } from '../../test/accounts.ts';
import { client, createPeople } from '../../test/people.ts';

const accounts = accountsForFile();
const people = createPeople(accounts);

const settings = { name: 'Site', scopes: ['leads:read' as const], expires_at: null };

test('an owner makes, replaces and revokes keys of their store, and each change is in the audit log', async () => {
  const { store, token, userId } = await people.signedIn();
  const made = await people.ask(createStoreKey, { body: settings }, token);
  expect(made.key).toMatchObject({ store_id: store, name: 'Site', scopes: ['leads:read'], expires_at: null });
  const params = { keyId: made.key.id };
  const sinceMs = Date.now();
  const rotated = await people.ask(rotateStoreKey, { params, body: { overlap_seconds: 60 } }, token);
  expectDelay(rotated.replaced.expires_at, { sinceMs, least: 60, most: 60 });
  const revoked = await people.ask(revokeStoreKey, { params: { keyId: rotated.key.id } }, token);
  expect(revoked.revoked_at).toMatch(/Z$/);
  const { data } = await people.ask(listStoreKeys, {}, token);
  expect(data.map(({ id }) => id)).toEqual([rotated.key.id, made.key.id]);
  expect(JSON.stringify(data)).not.toContain(made.api_key.split('_')[3]);

  const entry = { actor_kind: 'user', actor_id: userId, address: client.address };
  expect((await people.auditOf(store)).filter(({ action }) => action.startsWith('key.'))).toEqual([
    { ...entry, action: 'key.created', subject_id: made.key.id },
    { ...entry, action: 'key.created', subject_id: rotated.key.id },
    { ...entry, action: 'key.replaced', subject_id: made.key.id },
    { ...entry, action: 'key.revoked', subject_id: rotated.key.id },
  ]);
});

test('a key that the command makes is in the audit log as the operator’s', async () => {
  const { store, key } = await accounts.newStore();
  expect((await people.auditOf(store.id)).slice(1)).toEqual([
    { actor_kind: 'operator', actor_id: null, action: 'key.created', subject_id: key.id, address: null },
  ]);
});

test('a store has at most 100 valid keys, also when two are made at once', async () => {
  const { store, token } = await people.signedIn();
  const made = await people.ask(createStoreKey, { body: settings }, token);
  await accounts.adminSql`
    insert into api_keys (id, store_id, name, key_hash, scopes)
    select substr(md5(${store} || n), 1, 12), store_id, name, sha256(n::text::bytea), scopes
    from api_keys, generate_series(1, 98) as n where id = ${made.key.id}`;
  const create = () =>
    people.ask(createStoreKey, { body: settings }, token).then(
      () => 'made',
      ({ code }) => code,
    );
  expect((await Promise.all([create(), create()])).sort()).toEqual(['api_key_limit', 'made']);
  const params = { keyId: made.key.id };
  const rotate = () => people.ask(rotateStoreKey, { params, body: { overlap_seconds: 0 } }, token);
  await expect(rotate()).rejects.toMatchObject({ code: 'api_key_limit' });
  await accounts.adminSql`
    update api_keys set revoked_at = now() where store_id = ${store} and id <> ${made.key.id}`;
  await rotate();
});

test('a key of another store is not found, and stays as it is', async () => {
  const { token } = await people.signedIn();
  const other = await accounts.newStore();
  const params = { keyId: other.key.id };
  const tries = [
    () => people.ask(rotateStoreKey, { params, body: { overlap_seconds: 0 } }, token),
    () => people.ask(revokeStoreKey, { params }, token),
  ];
  for (const tried of tries) await expect(tried()).rejects.toMatchObject({ code: 'api_key_not_found' });
  const [row] = await accounts.adminSql`select revoked_at, expires_at from api_keys where id = ${other.key.id}`;
  expect(row).toEqual({ revoked_at: null, expires_at: null });
  expect((await people.ask(listStoreKeys, {}, token)).data).toEqual([]);
});

test('a key is reached only with the token of an open session: not without one, not with one that has ended', async () => {
  const { session, token } = await people.signedIn();
  await accounts.adminSql`update sessions set ended_at = now() where id = ${session.id}`;
  for (const wrong of [undefined, token, session.id]) {
    const tried = people.ask(createStoreKey, { body: settings }, wrong);
    await expect(tried).rejects.toMatchObject({ code: 'invalid_session' });
  }
  const [row] = await accounts.adminSql`
    select count(*)::int as keys from api_keys where store_id = ${session.store.id}`;
  expect(row).toEqual({ keys: 0 });
});

test('a manager can neither see nor make keys', async () => {
  const { token } = await people.signedIn(undefined, undefined, 'manager');
  for (const tried of [
    () => people.ask(listStoreKeys, {}, token),
    () => people.ask(createStoreKey, { body: settings }, token),
  ]) {
    await expect(tried()).rejects.toMatchObject({ code: 'role_required', members: { required_role: 'owner' } });
  }
});

test.each([[{ name: 'Site' }], [{ ...settings, scopes: [] }], [{ name: 'Site', scopes: ['leads:read'] }]])(
  'a key is made only with scopes and an end, even if it is never: %j',
  async (body) => {
    const { token } = await people.signedIn();
    const tried = people.ask(createStoreKey, { body: body as never }, token);
    await expect(tried).rejects.toMatchObject({ code: 'validation_failed' });
  },
);
