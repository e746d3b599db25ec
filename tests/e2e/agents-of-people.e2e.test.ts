import { waitFor } from '@mostrador/testing/wait';
import { beforeAll, expect, test } from 'vitest';
import { askAsPage, signInAs } from './people.ts';
import { admin, newStore, request } from './platform.ts';
import { expectProblem } from './problem.ts';

type Store = { id: string; key: string; manager: string; seller: string };
let store: Store;
let other: Store;

async function newStoreWithPeople(): Promise<Store> {
  const { id, key } = await newStore();
  const whatsapp_id = `55119${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
  const made = await request('POST', '/sellers', { key, body: { name: 'Rui', whatsapp_id } });
  const [manager, seller] = [await signInAs(id, 'manager'), await signInAs(id, 'seller', made.body.id)];
  return { id, key, manager, seller };
}
const ask = (method: string, path: string, cookie: string, body?: unknown) => askAsPage(method, path, { cookie, body });

beforeAll(async () => {
  [store, other] = await Promise.all([newStoreWithPeople(), newStoreWithPeople()]);
});

test('a manager creates and changes an agent, a seller only sees it, and another store does neither', async () => {
  const body = { name: 'Secret agent', priority: 1, is_active: false };
  expectProblem(await ask('POST', '/agents', store.seller, body), 'role_required');
  const made = await ask('POST', '/agents', store.manager, body);
  expect(made.status, made.text).toBe(201);
  expect((await ask('GET', '/agents/all', store.seller)).body.data).toEqual([made.body]);
  const listed = await ask('GET', '/agents/all', other.manager);
  expect(listed.body).toMatchObject({ data: [], total: 0 });

  const path = `/agents/${made.body.id}`;
  expectProblem(await ask('PATCH', path, other.manager, { is_active: true }), 'agent_not_found');
  expectProblem(await ask('PATCH', path, store.seller, { is_active: true }), 'role_required');
  const changed = await ask('PATCH', path, store.manager, { is_active: true });
  expect(changed.body).toMatchObject({ name: 'Secret agent', is_active: true });
  expect((await request('GET', path, { key: store.key })).body).toEqual(changed.body);
});

test('a manager imports a document, which the search finds in their store alone', async () => {
  const body = {
    name: 'prices.md',
    title: 'Prices',
    content: '# Prices\n\nA secret haircut costs 80.',
    locale: 'en-US',
  };
  expectProblem(await ask('POST', '/knowledge/documents', store.seller, body), 'role_required');
  const made = await ask('POST', '/knowledge/documents', store.manager, body);
  expect([made.status, made.body.result]).toEqual([200, 'created']);
  const changed = await ask('POST', '/knowledge/documents', store.manager, { ...body, content: 'A haircut costs 90.' });
  expect(changed.body).toMatchObject({ id: made.body.id, result: 'changed' });
  const found = (cookie: string) => ask('GET', '/knowledge/search?q=haircut', cookie);
  expect((await found(store.seller)).body.data).toMatchObject([{ document: { id: made.body.id } }]);
  expect((await found(other.manager)).body.data).toEqual([]);
});

test('a message of a seller pauses the AI for the lead, and a resume ends the pause', async () => {
  await admin(['channel', 'connect', '--store', store.id, '--provider', 'sandbox']);
  const body = { name: 'Ana', customer_phone: '5511900000003' };
  const { id } = (await request('POST', '/leads', { key: store.key, body })).body;
  const pausedUntil = async () => (await request('GET', `/leads/${id}`, { key: store.key })).body.ai_paused_until;
  const sent = await ask('POST', `/leads/${id}/messages`, store.seller, { message: 'Sou eu, o Rui.' });
  expect(sent.status, sent.text).toBe(200);
  await waitFor(async () => (await pausedUntil()) !== null, { description: 'crm knows the pause' });
  expect(Date.parse(await pausedUntil()) - Date.now()).toBeGreaterThan(11 * 3_600_000);

  const pausedBy = async () => (await request('GET', `/leads/${id}`, { key: store.key })).body.ai_paused_by;
  expect(await pausedBy()).toMatchObject({ kind: 'user', name: expect.stringMatching(/./) });

  const resumed = await ask('POST', `/leads/${id}/ai/resume`, store.seller);
  expect(resumed.body, resumed.text).toMatchObject({ id, ai_paused_until: null });
  const paused = await request('POST', `/leads/${id}/ai/pause`, { key: store.key, body: { minutes: 5 } });
  expect(paused.body.ai_paused_until).toBe(await pausedUntil());
  expect(await pausedBy()).toMatchObject({ kind: 'api_key', id: expect.any(String), name: null });
  expectProblem(await ask('POST', `/leads/${id}/ai/pause`, other.manager, {}), 'lead_not_found');
});
