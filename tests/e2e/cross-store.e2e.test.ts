import { scopes } from '@mostrador/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Call, callOf, keyOperations, type Owned } from './operations.ts';
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

const send = ({ method, path, body }: Call, key?: string) => request(method, path, { key, body });

test('the API document has every operation at its path, and nothing else', async () => {
  const documented = await document('/docs/json');
  const served = Object.entries<object>(documented.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const expected = keyOperations.map(
    ({ operation: { http } }) => `${http.method} ${http.path.replaceAll(/:(\w+)/g, '{$1}')}`,
  );
  // Neither is an operation: `feed.e2e.test.ts` and `events.e2e.test.ts` test them.
  const isOperation = (route: string) => !route.includes('.ics') && route !== 'GET /events/stream';
  expect(served.filter(isOperation).sort()).toEqual(expected.sort());
});

/** The code of the first id in a path, which comes before those of the other ids in path and body. */
const codeOfOuter = (path: string): string | undefined =>
  path.startsWith('/leads/:leadId')
    ? 'lead_not_found'
    : path.startsWith('/webhooks/endpoints/:endpointId')
      ? 'webhook_endpoint_not_found'
      : undefined;

describe.each(keyOperations)('$name', ({ operation }) => {
  const { scope } = operation.access;

  test("the second store's key gets no data of the first store", async () => {
    const call = await callOf(operation, owned);
    const answer = await send(call, second.key);
    const unknown = operation.errors.filter((code) => code.endsWith('_not_found'));
    // Another store may know the same phone.
    const namesRows = call.names.some((name) => name !== 'phone');
    if (namesRows && unknown.length > 0) {
      const outer = codeOfOuter(operation.http.path);
      expect(outer ? [outer] : unknown, answer.text).toContain(answer.body.code);
      expectProblem(answer, answer.body.code);
    } else {
      expect(answer.status, answer.text).toBeLessThan(300);
      if (namesRows) expect(answer.body.data).toEqual([]);
    }
    expect(answer.text).not.toContain(first.id);
    expect(answer.text).not.toContain('Secret');
  });

  test('a missing key and an unknown key get 401', async () => {
    const call = await callOf(operation, owned);
    expectProblem(await send(call), 'missing_api_key');
    expectProblem(
      await send(call, 'mk_live_abcdefgh1234_0000000000000000000000000000000000000000000'),
      'invalid_api_key',
    );
  });

  test.skipIf(scope === null)('a key without the scope gets 403 with the required scope', async () => {
    const others = scopes.filter((each) => each !== scope).join(',');
    const { api_key } = await admin(['key', 'create', '--store', first.id, '--name', 'narrow', '--scopes', others]);
    const answer = await send(await callOf(operation, owned), api_key);
    expect(expectProblem(answer, 'scope_required').required_scope).toBe(scope);
  });
});

test.each(keyOperations.filter(({ operation }) => operation.access.tier))(
  '$name rejects a store of a lower tier with the required tier',
  async ({ operation }) => {
    const answer = await send(await callOf(operation, owned), free.key);
    expect(expectProblem(answer, 'tier_required').required_tier).toBe(operation.access.tier);
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
