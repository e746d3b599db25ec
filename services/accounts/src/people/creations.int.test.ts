import {
  createStoreKey,
  disableUser,
  listApiKeys,
  listEndpointsOfPerson,
  listPersonCreations,
  listStoreKeys,
  pauseEndpointsOfPerson,
  type RequestOf,
  removePerson,
  removeUser,
  revokeStoreKey,
  rotateStoreKey,
} from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { accountsForFile } from '../../test/accounts.ts';
import { client, createPeople } from '../../test/people.ts';
import { pauseEndpoints } from './pause-endpoints.ts';

const accounts = accountsForFile();
const people = createPeople(accounts);
const endpointId: string = '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a';

/** What the events service was asked, and whether it answers. */
const events = { isDown: false, listed: [] as unknown[], paused: [] as unknown[] };
type Asked = { storeId: string } & RequestOf<typeof pauseEndpointsOfPerson>['body'];
beforeAll(async () => {
  const hear = (to: unknown[], asked: Asked) => {
    if (events.isDown) throw new AppError('service_unavailable');
    to.push({ ...asked, key_ids: asked.key_ids.toSorted() });
  };
  await accounts.serve(
    'events',
    { listEndpointsOfPerson, pauseEndpointsOfPerson },
    {
      listEndpointsOfPerson: async ({ storeId }, { body }) => {
        hear(events.listed, { storeId, ...body });
        const created_by = { kind: 'user' as const, id: body.user_id };
        const endpoint = { id: endpointId, url: 'https://example.com', status: 'enabled' as const, created_by };
        const endpoints: (typeof endpoint)[] = [endpoint];
        return { endpoints };
      },
      pauseEndpointsOfPerson: async ({ storeId }, { body }) => {
        hear(events.paused, { storeId, ...body });
        const paused: string[] = [endpointId];
        return { paused };
      },
    },
  );
});
beforeEach(() => Object.assign(events, { isDown: false, listed: [], paused: [] }));

const newKey = async (token: string, name = 'Site') =>
  (await people.ask(createStoreKey, { body: { name, scopes: ['leads:read'], expires_at: null } }, token)).key;

/** An owner of a store, and another who has created keys there. */
async function team() {
  const owner = await people.signedIn();
  const leaver = await people.signedIn(owner.store);
  const [kept, revoked] = [await newKey(leaver.token), await newKey(leaver.token, 'Old')];
  await people.ask(revokeStoreKey, { params: { keyId: revoked.id } }, leaver.token);
  const own = await newKey(owner.token);
  const params = { userId: leaver.userId };
  const stateOf = async () => {
    const { data } = await people.ask(listStoreKeys, {}, owner.token);
    return Object.fromEntries(data.map(({ id, revoked_at }) => [id, revoked_at === null ? 'valid' : 'revoked']));
  };
  const asked = { storeId: owner.store, user_id: leaver.userId, key_ids: [kept.id, revoked.id].toSorted() };
  return { owner, leaver, kept, revoked, own, params, stateOf, asked };
}

test('each key says who created it: a person, who may have left, or the operator', async () => {
  const { owner, leaver, kept, own, params } = await team();
  const creatorOf = async (id: string) =>
    (await people.ask(listStoreKeys, {}, owner.token)).data.find((key) => key.id === id)?.created_by;
  expect(kept.created_by).toEqual({ kind: 'user', id: leaver.userId, name: 'Ana' });
  expect(await creatorOf(kept.id)).toEqual(kept.created_by);
  const body = { overlap_seconds: 60 };
  const rotated = await people.ask(rotateStoreKey, { params: { keyId: kept.id }, body }, owner.token);
  expect(rotated.key.created_by).toEqual({ kind: 'user', id: owner.userId, name: 'Ana' });
  expect(rotated.replaced.created_by).toEqual(kept.created_by);
  await people.ask(removePerson, { params, query: {} }, owner.token);
  expect(await creatorOf(kept.id)).toEqual({ kind: 'user', id: leaver.userId, name: leaver.email });
  const { keys } = await accounts.admin(listApiKeys, { body: { store_id: owner.store } });
  expect(keys.find(({ id }) => id === own.id)?.created_by).toMatchObject({ id: owner.userId });
  const { key } = await accounts.newStore();
  expect(key.created_by).toEqual({ kind: 'operator', id: null, name: null });
});

test('an owner reads which valid keys and which endpoints a person created, before they remove them', async () => {
  const { owner, leaver, kept, params, asked } = await team();
  expect(await people.ask(listPersonCreations, { params }, owner.token)).toEqual({
    keys: [kept],
    webhook_endpoints: [
      {
        ...{ id: endpointId, url: 'https://example.com', status: 'enabled' },
        created_by: { kind: 'user', id: leaver.userId },
      },
    ],
  });
  expect(events.listed).toEqual([asked]);
  const stranger = await people.signedIn();
  const tried = people.ask(listPersonCreations, { params }, stranger.token);
  await expect(tried).rejects.toMatchObject({ code: 'user_not_found' });
});

test('a person who is removed leaves their keys and endpoints, unless the owner says otherwise', async () => {
  const { owner, kept, revoked, own, params, stateOf } = await team();
  await people.ask(removePerson, { params, query: {} }, owner.token);
  expect(await stateOf()).toEqual({ [kept.id]: 'valid', [revoked.id]: 'revoked', [own.id]: 'valid' });
  expect(events.paused).toEqual([]);
});

test('the removal can revoke the keys and pause the endpoints, and the audit log says so', async () => {
  const { owner, kept, revoked, own, params, stateOf, asked } = await team();
  await people.ask(removePerson, { params, query: { revoke_keys: true, pause_webhooks: true } }, owner.token);
  expect(await stateOf()).toEqual({ [kept.id]: 'revoked', [revoked.id]: 'revoked', [own.id]: 'valid' });
  expect(events.paused).toEqual([asked]);
  const entry = { actor_kind: 'user', actor_id: owner.userId, address: client.address };
  expect((await people.auditOf(owner.store)).slice(-3)).toEqual([
    { ...entry, action: 'user.removed', subject_id: params.userId },
    { ...entry, action: 'key.revoked', subject_id: kept.id },
    { ...entry, action: 'webhook.paused', subject_id: endpointId },
  ]);
});

test('a removal that the events service misses pauses the endpoints later, once', async () => {
  const { owner, params, asked } = await team();
  events.isDown = true;
  await people.ask(removePerson, { params, query: { pause_webhooks: true } }, owner.token);
  await expect(pauseEndpoints(accounts)).rejects.toMatchObject({ code: 'service_unavailable' });
  events.isDown = false;
  await pauseEndpoints(accounts);
  await pauseEndpoints(accounts);
  expect(events.paused).toEqual([asked]);
  const paused = (await people.auditOf(owner.store)).filter(({ action }) => action === 'webhook.paused');
  expect(paused).toHaveLength(1);
});

test('a removal that is refused ends nothing', async () => {
  const { owner, own, stateOf } = await team();
  const lone = await people.signedIn();
  const key = await newKey(lone.token);
  const query = { revoke_keys: true, pause_webhooks: true };
  const tried = people.ask(removePerson, { params: { userId: lone.userId }, query }, lone.token);
  await expect(tried).rejects.toMatchObject({ code: 'last_owner' });
  const { data } = await people.ask(listStoreKeys, {}, lone.token);
  expect(data).toEqual([key]);
  expect(events.paused).toEqual([]);
  expect((await stateOf())[own.id]).toBe('valid');
  expect((await people.ask(listStoreKeys, {}, owner.token)).data).toHaveLength(3);
});

test('the operator sees what a person created, also while the events service is down, and can end it', async () => {
  const { owner, leaver, kept } = await team();
  events.isDown = true;
  const removed = await accounts.admin(removeUser, { body: { store_id: owner.store, email: leaver.email } });
  expect(removed).toMatchObject({ id: leaver.userId, keys: [{ id: kept.id }], webhook_endpoints: null });
  events.isDown = false;

  const elsewhere = await people.signedIn(undefined, owner.email);
  const keys = [await newKey(owner.token), await newKey(elsewhere.token)];
  const body = { email: owner.email, revoke_keys: true, pause_webhooks: true };
  const disabled = await accounts.admin(disableUser, { body });
  expect(disabled.keys).toEqual(
    expect.arrayContaining(
      keys.map(({ id, store_id }) =>
        expect.objectContaining({ id, store_id, revoked_at: expect.stringMatching(/Z$/) }),
      ),
    ),
  );
  expect(disabled.webhook_endpoints?.map(({ store_id }) => store_id).toSorted()).toEqual(
    [owner.store, elsewhere.store].toSorted(),
  );
  expect(events.paused).toHaveLength(2);
});

test('an owner who is removed meanwhile creates no key', async () => {
  const { owner, leaver } = await team();
  let creating: Promise<unknown> = Promise.resolve();
  await accounts.adminSql.begin(async (sql) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`api keys ${owner.store}`}, 0))`;
    creating = newKey(leaver.token).then(
      () => 'made',
      ({ code }) => code,
    );
    const waits = async () => (await sql`select 1 from pg_locks where not granted`).length > 0;
    await expect.poll(waits).toBe(true);
    await sql`delete from memberships where store_id = ${owner.store} and user_id = ${leaver.rowId}`;
  });
  expect(await creating).toBe('invalid_session');
});
