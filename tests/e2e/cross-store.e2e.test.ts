import { scopes } from '@mostrador/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { calls, keyless, type Owned, publicOperations } from './operations.ts';
import { ownedRows } from './owned.ts';
import { admin, document, newStore, request, storeOf } from './platform.ts';
import { expectProblem } from './problem.ts';

type Store = Awaited<ReturnType<typeof newStore>>;
let first: Store;
let second: Store;
let free: Store;
let owned: Owned;

beforeAll(async () => {
  [first, second, free] = await Promise.all([newStore(), newStore(), newStore({ tier: 'free' })]);
  owned = await ownedRows(first);
});

const entries = Object.entries(calls).map(([name, call]) => ({ name, call }));
const send = ({ method, path, body }: (typeof entries)[number]['call'], key?: string) =>
  request(method, path(owned), { key, body: body?.(owned) });

test('this test covers every public operation at the path where the gateway serves it', async () => {
  expect([...Object.keys(calls), ...keyless].sort()).toEqual(Object.keys(publicOperations).sort());
  const documented = await document('/docs/json');
  const served = Object.entries<object>(documented.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{[^}]+\}/g, '{id}')}`),
  );
  const id = '{id}';
  const ids: Owned = {
    leadId: id,
    sellerId: id,
    appointmentId: id,
    agentId: id,
    documentId: id,
    messageId: id,
    sessionId: id,
    followupId: id,
    eventId: id,
    endpointId: id,
    deliveryId: id,
    replayId: id,
    phone: id,
  };
  const tried = entries.map(({ call }) => `${call.method} ${call.path(ids).split('?')[0]}`);
  // Neither is an operation: `feed.e2e.test.ts` and `events.e2e.test.ts` test them.
  const isOperation = (route: string) => !route.includes('.ics') && route !== 'GET /events/stream';
  expect(served.filter(isOperation).sort()).toEqual(tried.sort());
});

describe.each(entries)('$name', ({ call }) => {
  test("the second store's key gets no data of the first store", async () => {
    const answer = await send(call, second.key);
    const { foreign } = call;
    if (foreign === 'empty list') expect(answer).toMatchObject({ status: 200, body: { data: [], total: 0 } });
    else if (foreign === 'nothing found') expect(answer).toMatchObject({ status: 200, body: { data: [] } });
    else if (foreign === 'own store') expect(answer.status, answer.text).toBeLessThan(300);
    else expectProblem(answer, foreign);
    expect(answer.text).not.toContain(first.id);
    expect(answer.text).not.toContain('Secret');
  });

  test('a missing key and an unknown key get 401', async () => {
    expectProblem(await send(call), 'missing_api_key');
    expectProblem(
      await send(call, 'mk_live_abcdefgh1234_0000000000000000000000000000000000000000000'),
      'invalid_api_key',
    );
  });

  test('a key without the scope gets 403 with the required scope', async () => {
    const others = scopes.filter((scope) => scope !== call.scope).join(',');
    const { api_key } = await admin(['key', 'create', '--store', first.id, '--name', 'narrow', '--scopes', others]);
    expect(expectProblem(await send(call, api_key), 'scope_required').required_scope).toBe(call.scope);
  });
});

test.each(entries.filter(({ call }) => call.tier))(
  '$name rejects a store of a lower tier with the required tier',
  async ({ call }) => {
    expect(expectProblem(await send(call, free.key), 'tier_required').required_tier).toBe(call.tier);
  },
);

test('the requests of the second store have changed no data of the first store', async () => {
  const appointment = await request('GET', `/appointments/${owned.appointmentId}`, { key: first.key });
  expect(appointment.body).toMatchObject({ title: 'Secret visit', lead_id: owned.leadId, store_id: first.id });
  const lead = await request('GET', `/leads/${owned.leadId}`, { key: first.key });
  expect(lead.body).toMatchObject({ name: 'Ana Secret', seller_id: owned.sellerId, store_id: first.id });
  const seller = await request('GET', `/sellers/${owned.sellerId}`, { key: first.key });
  expect(seller.body).toMatchObject({ name: 'Rui Secret', is_active: true });
  const found = await request('GET', '/knowledge/search?q=recipe', { key: first.key });
  expect(found.body.data).toMatchObject([{ document: { id: owned.documentId } }]);
  const lists = await Promise.all([second, first].map(({ key }) => request('GET', '/appointments', { key })));
  expect(lists.map(({ body }) => body.total)).toEqual([0, 1]);
  const messages = await request('GET', `/leads/${owned.leadId}/messages`, { key: first.key });
  expect(messages.body).toMatchObject({ total: 1, data: [{ id: owned.messageId, body: 'Secret' }] });
  const sessions = await request('GET', `/leads/${owned.leadId}/sessions`, { key: first.key });
  expect(sessions.body).toMatchObject([{ id: owned.sessionId, status: 'active' }]);
});

test('a calendar feed has only the appointments of its own store', async () => {
  const { feed_url } = await admin(['calendar', 'connect', '--store', second.id, '--provider', 'feed']);
  const feed = await (await fetch(feed_url)).text();
  expect(feed).toContain('BEGIN:VCALENDAR');
  expect(feed).not.toContain(owned.appointmentId);
  const unknown = await fetch(feed_url.replace(/[^/]+\.ics$/, 'A'.repeat(43).concat('.ics')));
  expect(unknown.status).toBe(404);
});

test('GET /store returns the store of the key', async () => {
  const demo = storeOf('pro');
  expect((await request('GET', '/store', { key: demo.api_key })).body).toMatchObject({ id: demo.id, name: demo.name });
});
