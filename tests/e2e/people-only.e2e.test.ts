import { accountsOperations, type UserRole } from '@mostrador/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { ownedRows } from './owned.ts';
import { askAsPage, signInAs } from './people.ts';
import { type OwnedByPeople, peopleOnly, refusedRoles, servedToPeople } from './people-only.ts';
import { newStore, request } from './platform.ts';
import { expectProblem } from './problem.ts';

let store: Awaited<ReturnType<typeof newStore>>;
let owned: OwnedByPeople;
let served: Awaited<ReturnType<typeof servedToPeople>>;
let cookies: Record<UserRole | 'stranger', string>;

beforeAll(async () => {
  const [made, elsewhere] = await Promise.all([newStore(), newStore()]);
  store = made;
  served = await servedToPeople();
  const rows = await ownedRows(store);
  cookies = {
    owner: await signInAs(store.id, 'owner'),
    manager: await signInAs(store.id, 'manager'),
    seller: await signInAs(store.id, 'seller', rows.sellerId),
    stranger: await signInAs(elsewhere.id, 'owner'),
  };
  const read = async (path: string) => (await askAsPage('GET', path, { cookie: cookies.owner })).body;
  owned = { ...rows, keyId: (await read('/keys')).data[0].id, userId: (await read('/session')).user.id };
});

const routeOf = (name: string) => {
  const { method, path } = served.get(name) as { method: string; path: string };
  const ids: Readonly<Record<string, string>> = { ...owned, passkeyId: owned.leadId, sessionId: 'abcdefghijkl' };
  return { method, path: path.replace(/\{(\w+)\}/g, (_, id: string) => ids[id] ?? '') };
};
const ask = (name: string, cookie?: string, headers: Record<string, string> = {}) => {
  const { method, path } = routeOf(name);
  return askAsPage(method, path, { cookie, headers, body: peopleOnly[name]?.body?.(owned) });
};

test('every operation that only people have says here who may call it', () => {
  expect(Object.keys(peopleOnly).sort()).toEqual([...served.keys()].sort());
});

describe.each(Object.entries(peopleOnly))('%s', (name, operation) => {
  test.each(refusedRoles(operation))('is refused to a %s', async (role) => {
    const refused = expectProblem(await ask(name, cookies[role]), 'role_required');
    expect(refused.required_role).toBe(operation.role);
  });

  test.skipIf(operation.role === 'none')('needs a session', async () => {
    expectProblem(await ask(name), 'invalid_session');
    expectProblem(await ask(name, undefined, { 'x-api-key': store.key }), 'invalid_session');
  });

  test('does nothing for a page of another site, nor for one of another address of this site', async () => {
    if (routeOf(name).method === 'GET') return;
    for (const site of ['cross-site', 'same-site', 'none']) {
      const headers = { 'sec-fetch-site': site, origin: 'https://evil.example' };
      expectProblem(await ask(name, cookies.owner, headers), 'cross_site_request');
    }
  });

  // `people.e2e.test.ts` tries those of accounts.
  test.skipIf(name in accountsOperations)('shows the owner of another store nothing of this one', async () => {
    const answer = await ask(name, cookies.stranger);
    expect([200, 201, 204, 404], answer.text).toContain(answer.status);
    for (const secret of [store.id, store.name, 'Secret', owned.leadId, owned.phone])
      expect(answer.text).not.toContain(secret);
  });
});

test('after all this the store is as it was', async () => {
  const read = async (path: string) => (await askAsPage('GET', path, { cookie: cookies.owner })).body;
  expect(await read('/channel')).toMatchObject({ provider: 'sandbox', status: 'connected' });
  expect(await read('/calendar')).toMatchObject({ provider: null });
  expect(await read('/settings')).toMatchObject({ name: store.name, session_idle_hours: 24 });
  expect((await read('/agents/all')).data).toMatchObject([{ id: owned.agentId, name: 'Secret agent' }]);
  expect((await read('/knowledge/documents')).data).toHaveLength(1);
  expect((await read('/keys')).data).toMatchObject([{ id: owned.keyId, revoked_at: null, expires_at: null }]);
  expect((await read('/users')).data.map(({ role }: { role: string }) => role).sort()).toEqual([
    'manager',
    'owner',
    'seller',
  ]);
  expect(await read(`/followups/scheduled/${owned.followupId}`)).toMatchObject({ status: 'pending' });
  expect((await request('GET', '/store', { key: store.key })).status).toBe(200);
});
