import type { UserRole } from '@mostrador/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { ownedRows } from './owned.ts';
import { askAsPage, signInAs } from './people.ts';
import { bodies, type OwnedByPeople, peopleOnly, refusedRoles } from './people-only.ts';
import { document, newStore, request } from './platform.ts';
import { expectProblem } from './problem.ts';

let store: Awaited<ReturnType<typeof newStore>>;
let owned: OwnedByPeople;
let cookies: Record<UserRole | 'stranger', string>;

beforeAll(async () => {
  const [made, elsewhere] = await Promise.all([newStore(), newStore()]);
  store = made;
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

type Tried = (typeof peopleOnly)[number];
const ask = ({ name, operation: { http } }: Tried, cookie?: string, headers: Record<string, string> = {}) => {
  const ids: Readonly<Record<string, string>> = {
    ...owned,
    passkeyId: owned.leadId,
    sessionId: 'abcdefghijkl',
    provider: 'demo',
  };
  const path = http.path.replaceAll(/:(\w+)/g, (_, id: string) => ids[id] ?? '');
  return askAsPage(http.method, path, { cookie, headers, body: bodies[name]?.(owned) });
};

test('the document of the console has every operation that only people have at its path', async () => {
  const { paths } = await document('/platform/v1/openapi.json');
  for (const { name, operation } of peopleOnly) {
    const { method, path } = operation.http;
    expect(paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.operationId).toBe(name);
  }
});

describe.each(peopleOnly)('$name', (tried) => {
  const { operation } = tried;

  test.each(refusedRoles(operation))('is refused to a %s', async (role) => {
    const refused = expectProblem(await ask(tried, cookies[role]), 'role_required');
    expect(refused.required_role).toBe(operation.access.role);
  });

  test.skipIf(operation.access.role === 'guest')('needs a session', async () => {
    expectProblem(await ask(tried), 'invalid_session');
    expectProblem(await ask(tried, undefined, { 'x-api-key': store.key }), 'invalid_session');
  });

  test('does nothing for a page of another site, nor for one of another address of this site', async () => {
    if (operation.http.method === 'GET') return;
    for (const site of ['cross-site', 'same-site', 'none']) {
      const headers = { 'sec-fetch-site': site, origin: 'https://evil.example' };
      expectProblem(await ask(tried, cookies.owner, headers), 'cross_site_request');
    }
  });

  // `people.e2e.test.ts` tries those of accounts.
  test.skipIf(operation.tenancy === 'none')('shows the owner of another store nothing of this one', async () => {
    const answer = await ask(tried, cookies.stranger);
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
