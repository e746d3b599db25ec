import { beforeAll, expect, test } from 'vitest';
import { askAsPage, signInAs } from './people.ts';
import { admin, eventually, type Json, newStore, request } from './platform.ts';
import { expectProblem } from './problem.ts';

let store: Awaited<ReturnType<typeof newStore>>;
let sandboxUrl: string;
let sellerId: string;
let cookies: Record<'owner' | 'manager' | 'seller' | 'otherSeller' | 'stranger', string>;

beforeAll(async () => {
  const [made, elsewhere] = await Promise.all([newStore(), newStore()]);
  store = made;
  sandboxUrl = (await admin(['channel', 'connect', '--store', store.id, '--provider', 'sandbox'])).sandbox_url;
  const newSeller = async (whatsapp_id: string) =>
    (await request('POST', '/sellers', { key: store.key, body: { name: 'Rui', whatsapp_id } })).body.id;
  sellerId = await newSeller('5511900000001');
  cookies = {
    owner: await signInAs(store.id, 'owner'),
    manager: await signInAs(store.id, 'manager'),
    seller: await signInAs(store.id, 'seller', sellerId),
    otherSeller: await signInAs(store.id, 'seller', await newSeller('5511900000002')),
    stranger: await signInAs(elsewhere.id, 'owner'),
  };
});

/** A customer writes on the sandbox's telephone. */
async function write(customer_phone: string, name: string, text: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ customer_phone, name, text });
  const answer = await fetch(`${sandboxUrl}/messages`, { method: 'POST', headers, body });
  expect(answer.status, await answer.text()).toBe(200);
}
const list = async (query = '', cookie = cookies.owner): Promise<Json[]> => {
  const { status, body, text } = await askAsPage('GET', `/conversations${query}`, { cookie });
  expect(status, text).toBe(200);
  return body.data;
};
const namesOf = (data: Json[]) => data.map(({ lead }) => lead.name);
const read = (leadId: string, message_id: string, cookie?: string) =>
  askAsPage('PUT', `/leads/${leadId}/read`, { cookie, body: { message_id } });

test('a customer who writes for the first time is in the inbox, and what crm changes shows there', async () => {
  await write('5511960000001', 'Ana Secret', 'Bom dia');
  const [first] = await eventually(
    () => list(),
    (data) => data.length === 1,
  );
  expect(first).toMatchObject({
    lead: { name: 'Ana Secret', customer_phone: '5511960000001', status: 'pending', seller_id: null },
    last_message: { direction: 'inbound', body: 'Bom dia' },
    unread_count: 1,
    unanswered: true,
    waiting_since: first.last_message.created_at,
    window_open: true,
  });
  const body = { name: 'Ana Maria Secret', status: 'in_progress', seller_id: sellerId };
  const changed = await askAsPage('PATCH', `/leads/${first.lead.id}`, { cookie: cookies.owner, body });
  expect(changed.status, changed.text).toBe(200);
  await eventually(
    () => list(`?status=in_progress&seller_id=${sellerId}`),
    (data) => namesOf(data).join() === 'Ana Maria Secret',
  );
  expect(namesOf(await list('?q=maria%20secret'))).toEqual(['Ana Maria Secret']);
  expect(await list('?q=nothing')).toEqual([]);

  // Her seller, a person of another store, and another seller.
  expect(namesOf(await list('', cookies.seller))).toEqual(['Ana Maria Secret']);
  for (const cookie of [cookies.otherSeller, cookies.stranger]) {
    expect(await list('', cookie)).toEqual([]);
    expect(await list('?q=maria', cookie)).toEqual([]);
    expectProblem(await read(first.lead.id, first.last_message.id, cookie), 'lead_not_found');
  }
  expect(await list('')).toMatchObject([{ unread_count: 1 }]);
});

test('what one person reads or answers, all people of the store have read', async () => {
  await write('5511960000002', 'Bia', 'Olá');
  await write('5511960000002', 'Bia', 'Alguém aí?');
  const bia = async (cookie?: string) => (await list('?q=bia', cookie))[0];
  const before = await eventually(bia, (found) => found?.unread_count === 2);
  const answer = await read(before.lead.id, before.last_message.id, cookies.seller);
  expect([answer.status, answer.body]).toEqual([200, { unread_count: 0 }]);
  for (const cookie of [cookies.owner, cookies.otherSeller])
    expect(await bia(cookie)).toMatchObject({ unread_count: 0 });
  const events = await eventually(
    () => request('GET', `/events?types=conversation.read&entity_id=${before.lead.id}`, { key: store.key }),
    ({ body }) => body.data.length > 0,
  );
  expect(events.body.data).toMatchObject([{ type: 'conversation.read', data: { lead_id: before.lead.id } }]);

  await write('5511960000002', 'Bia', 'Oi?');
  await eventually(bia, (found) => found?.unread_count === 1);
  const path = `/leads/${before.lead.id}/messages`;
  const sent = await askAsPage('POST', path, { cookie: cookies.manager, body: { message: 'Sim!' } });
  expect(sent.status, sent.text).toBe(200);
  expect(await bia()).toMatchObject({ unread_count: 0, unanswered: false, last_message: { source: 'seller' } });
});

test('without a session there is 401, another site changes nothing, and a wrong request is explained', async () => {
  const [{ lead, last_message }] = (await list()) as [Json];
  expectProblem(await askAsPage('GET', '/conversations'), 'invalid_session');
  expectProblem(await read(lead.id, last_message.id), 'invalid_session');
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
  const asked = { cookie: cookies.owner, headers, body: { message_id: last_message.id } };
  expectProblem(await askAsPage('PUT', `/leads/${lead.id}/read`, asked), 'cross_site_request');
  for (const query of ['?unread=false', '?status=open', '?q=.', '?limit=0', '?sort=name', '?cursor=x']) {
    expectProblem(await askAsPage('GET', `/conversations${query}`, { cookie: cookies.owner }), 'validation_failed');
  }
  expectProblem(await read(lead.id, 'x', cookies.owner), 'validation_failed');
  const first = await askAsPage('GET', '/conversations?limit=1', { cookie: cookies.owner });
  expect(first.body).toMatchObject({ total: 2, page: 1, limit: 1 });
  const [, next = ''] = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
  const second = await askAsPage('GET', `/conversations${new URL(next).search}`, { cookie: cookies.owner });
  expect(second.body).toMatchObject({ total: 2, page: 2 });
});
