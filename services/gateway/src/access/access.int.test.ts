import { recordKeyUses } from '@mostrador/contracts';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());
beforeEach(() => {
  gateway.announcing.on = true;
});

/** Requests a path without a route: 404 with a valid key, 401 without. No service gets a request. */
const ask = async (apiKey: string) => {
  const url = '/integrations/v1/nothing';
  const answer = await gateway.app.inject({ url, headers: { 'x-api-key': apiKey } });
  return { status: answer.statusCode, code: answer.json().code, rate: answer.headers['ratelimit-policy'] };
};
const isRefused = async (apiKey: string) => (await ask(apiKey)).status === 401;

// A change takes effect within 2 s: access-directory.test.ts shows how old the cache may be, with a clock of its own.
// Without that limit, a poll that misses a change would leave the key in the cache for good.

test('a new key works at once', async () => {
  const { apiKey } = await gateway.newStore();
  expect(await ask(apiKey)).toMatchObject({ status: 404, code: 'route_not_found' });
});

test('a notice of a revocation makes the gateway poll, and the key is rejected', async () => {
  const { apiKey, key } = await gateway.newStore();
  expect((await ask(apiKey)).status).toBe(404);
  await gateway.revokeKey(key.id);
  await waitFor(() => isRefused(apiKey), { description: 'the key is rejected' });
});

test('a revocation takes effect within two seconds even if its notice is lost', async () => {
  const { apiKey, key } = await gateway.newStore();
  expect((await ask(apiKey)).status).toBe(404);
  gateway.announcing.on = false;
  await gateway.revokeKey(key.id);
  await waitFor(() => isRefused(apiKey), { description: 'the key is rejected' });
  expect((await ask(apiKey)).code).toBe('invalid_api_key');
});

test('a poll finds a revocation that commits 20 seconds after its timestamp', async () => {
  const { apiKey, key } = await gateway.newStore();
  expect((await ask(apiKey)).status).toBe(404);
  await gateway.database.adminSql`
    update accounts.api_keys set revoked_at = now(), updated_at = now() - interval '20 seconds' where id = ${key.id}`;
  await waitFor(() => isRefused(apiKey), { description: 'the key is rejected' });
});

/** Makes the rows so old that a poll reads them only if they change again. */
const age = async (storeId: string) => {
  await gateway.database
    .adminSql`update accounts.stores set updated_at = now() - interval '1 hour' where id = ${storeId}`;
  await gateway.database.adminSql`
    update accounts.api_keys set updated_at = now() - interval '1 hour' where store_id = ${storeId}`;
};

test.each([
  [
    'revokes',
    (id: string) => gateway.database.adminSql`update accounts.api_keys set revoked_at = now() where id = ${id}`,
  ],
  ['deletes', (id: string) => gateway.database.adminSql`delete from accounts.api_keys where id = ${id}`],
  [
    'renames',
    (id: string) => gateway.database.adminSql`update accounts.api_keys set id = ${id} || 'X' where id = ${id}`,
  ],
])('a key that an operator %s in SQL is rejected within two seconds', async (_, change) => {
  const { apiKey, key, store } = await gateway.newStore();
  expect((await ask(apiKey)).status).toBe(404);
  await age(store.id);
  await change(key.id);
  await waitFor(() => isRefused(apiKey), { description: 'the key is rejected' });
});

test("a store's tier that an operator changes in SQL takes effect within two seconds", async () => {
  const { apiKey, store } = await gateway.newStore({ tier: 'free' });
  expect((await ask(apiKey)).rate).toContain('q=60;');
  await age(store.id);
  await gateway.database.adminSql`update accounts.stores set tier = 'starter' where id = ${store.id}`;
  const sees = async () => (await ask(apiKey)).rate?.toString().includes('q=300;');
  await waitFor(sees, { description: "the new tier's rate" });
});

test('a key is rejected from the moment it expires, without a notice', async () => {
  const { apiKey, expiresAt } = await waitFor(
    async () => {
      const expiresAt = new Date(Date.now() + 700);
      const { apiKey } = await gateway.newStore({ expires_at: expiresAt.toISOString() });
      return (await ask(apiKey)).status === 404 && { apiKey, expiresAt };
    },
    { description: 'a key that works before it expires' },
  );
  await waitFor(() => Date.now() >= expiresAt.getTime(), { description: 'the time has come', intervalMs: 5 });
  expect((await ask(apiKey)).code).toBe('invalid_api_key');
});

test('after a rotation both keys work during the overlap, and the old key expires at its end', async () => {
  const { apiKey, key, store } = await gateway.newStore();
  const second = await gateway.newKey(store.id);
  await gateway.expireKey(key.id, 60);
  expect((await ask(apiKey)).status).toBe(404);
  expect((await ask(second.apiKey)).status).toBe(404);
  // The minute is over.
  await gateway.expireKey(key.id, 0);
  await waitFor(() => isRefused(apiKey), { description: 'the old key is rejected' });
  expect((await ask(second.apiKey)).status).toBe(404);
});

test('a rotation without overlap ends the old key within two seconds', async () => {
  const { apiKey, key } = await gateway.newStore();
  await ask(apiKey);
  gateway.announcing.on = false;
  await gateway.expireKey(key.id, 0);
  await waitFor(() => isRefused(apiKey), { description: 'the key is rejected' });
});

test("a store's new tier and rate take effect within two seconds, with and without the notice", async () => {
  for (const announced of [true, false]) {
    const { apiKey, store } = await gateway.newStore({ tier: 'free' });
    expect((await ask(apiKey)).rate).toContain('q=60;');
    gateway.announcing.on = announced;
    await gateway.updateStore(store.id, { tier: 'starter' });
    const sees = (rate: string) => async () => (await ask(apiKey)).rate?.toString().includes(`q=${rate};`);
    await waitFor(sees('300'), { description: "the tier's rate" });
    await gateway.updateStore(store.id, { rate_limit: 1234 });
    await waitFor(sees('1234'), { description: "the store's own rate" });
  }
});

test('without the database a cached key works for 1.5 s and then gets 503 until the database is back', async () => {
  const { apiKey, key } = await gateway.newStore();
  expect((await ask(apiKey)).status).toBe(404);
  for (const takeAway of [gateway.toDatabase.cut, gateway.toDatabase.freeze]) {
    const worksFromTheCache = async () => {
      gateway.toDatabase.mend();
      await gateway.directory.refresh();
      takeAway();
      return (await ask(apiKey)).status === 404;
    };
    await waitFor(worksFromTheCache, { description: 'the key works without the database' });
    const refused = await waitFor(
      async () => {
        const answer = await ask(apiKey);
        return answer.status === 503 && answer;
      },
      { description: 'the key gets 503' },
    );
    expect(refused.code).toBe('service_unavailable');
    gateway.toDatabase.mend();
    await waitFor(async () => (await ask(apiKey)).status === 404, { description: 'the key works again' });
  }
  gateway.toDatabase.cut();
  await gateway.revokeKey(key.id);
  gateway.toDatabase.mend();
  await waitFor(() => isRefused(apiKey), { description: 'the revocation during the outage takes effect' });
});

test('a key that is not cached gets 503 while the database is down', async () => {
  const { apiKey } = await gateway.newStore();
  await gateway.directory.refresh();
  gateway.toDatabase.cut();
  expect(await ask(apiKey)).toMatchObject({ status: 503, code: 'service_unavailable' });
  gateway.toDatabase.mend();
  await waitFor(async () => (await ask(apiKey)).status === 404, { description: 'the key works' });
});

test('the use of a key is reported to accounts, and the key works when accounts does not answer', async () => {
  const { apiKey, key } = await gateway.newStore();
  gateway.usage.start();
  expect((await ask(apiKey)).status).toBe(404);
  const other = await gateway.newStore();
  const reported: string[] = [];
  await gateway.serve(
    'accounts',
    { recordKeyUses },
    {
      recordKeyUses: async (_context, { body }) => {
        reported.push(...body.uses.map(({ key_id }) => key_id));
        return {};
      },
    },
  );
  expect((await ask(other.apiKey)).status).toBe(404);
  await waitFor(() => reported.includes(other.key.id), { description: 'the use is reported' });
  expect((await ask(apiKey)).status).toBe(404);
  expect(key.id).not.toBe(other.key.id);
});
