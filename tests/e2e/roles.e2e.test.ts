import { beforeAll, describe, expect, test } from 'vitest';
import { calls, type Owned } from './operations.ts';
import { ownedRows } from './owned.ts';
import { askAsPage, signInAs } from './people.ts';
import { newStore, request } from './platform.ts';
import { expectProblem } from './problem.ts';

/** What a seller of the store gets who has nothing to do with the lead: an error, or what all people of the store see. */
const toOtherSeller: Readonly<Record<string, 'lead_not_found' | 'role_required' | 'shared' | 'nothing'>> = {
  getStore: 'shared',
  createLead: 'shared',
  listLeads: 'nothing',
  getLead: 'lead_not_found',
  updateLead: 'lead_not_found',
  upsertLead: 'role_required',
  createSeller: 'role_required',
  listSellers: 'shared',
  getSeller: 'shared',
  updateSeller: 'role_required',
  deleteSeller: 'role_required',
  listAgents: 'shared',
  getAgent: 'shared',
  selectAgent: 'lead_not_found',
  listDocuments: 'shared',
  getDocument: 'shared',
  searchKnowledge: 'shared',
  createAppointment: 'lead_not_found',
  getAppointment: 'shared',
  listAppointments: 'lead_not_found',
  updateAppointment: 'shared',
  getCalendarSync: 'shared',
  createFollowup: 'lead_not_found',
  listFollowups: 'lead_not_found',
  getFollowup: 'lead_not_found',
  updateFollowup: 'lead_not_found',
  cancelFollowup: 'lead_not_found',
  sendMessage: 'lead_not_found',
  listMessages: 'lead_not_found',
  listStoreMessages: 'lead_not_found',
  getMessage: 'lead_not_found',
  cancelMessage: 'lead_not_found',
  getConversation: 'lead_not_found',
  listSessions: 'lead_not_found',
  closeSession: 'lead_not_found',
  getSummaryReport: 'role_required',
  getLeadReport: 'role_required',
  listEvents: 'role_required',
  getEvent: 'role_required',
  createWebhookEndpoint: 'role_required',
  listWebhookEndpoints: 'role_required',
  getWebhookEndpoint: 'role_required',
  updateWebhookEndpoint: 'role_required',
  deleteWebhookEndpoint: 'role_required',
  rotateWebhookSecret: 'role_required',
  testWebhookEndpoint: 'role_required',
  listWebhookDeliveries: 'role_required',
  getWebhookDelivery: 'role_required',
  retryWebhookDelivery: 'role_required',
  createWebhookReplay: 'role_required',
  getWebhookReplay: 'role_required',
  cancelWebhookReplay: 'role_required',
};

let store: Awaited<ReturnType<typeof newStore>>;
let owned: Owned;
let cookies: Record<'owner' | 'seller' | 'otherSeller' | 'stranger', string>;

beforeAll(async () => {
  const [made, elsewhere] = await Promise.all([newStore(), newStore()]);
  store = made;
  owned = await ownedRows(store);
  const seller = await request('POST', '/sellers', {
    key: store.key,
    body: { name: 'Bia', whatsapp_id: '5511900000009' },
  });
  cookies = {
    owner: await signInAs(store.id, 'owner'),
    seller: await signInAs(store.id, 'seller', owned.sellerId),
    otherSeller: await signInAs(store.id, 'seller', seller.body.id),
    stranger: await signInAs(elsewhere.id, 'owner'),
  };
});

const entries = Object.entries(calls).map(([name, call]) => ({ name, call }));
const ask = ({ method, path, body }: (typeof entries)[number]['call'], cookie?: string) =>
  askAsPage(method, path(owned), { cookie, body: body?.(owned) });

test('every public operation says here what it is to a seller', () => {
  expect(Object.keys(toOtherSeller).sort()).toEqual(Object.keys(calls).sort());
});

describe.each(entries)('$name with a session', ({ name, call }) => {
  test('a person of another store gets nothing of this one', async () => {
    const answer = await ask(call, cookies.stranger);
    if (!['empty list', 'nothing found', 'own store'].includes(call.foreign)) {
      expectProblem(answer, call.foreign as 'lead_not_found');
    }
    expect(answer.text).not.toContain(store.id);
    expect(answer.text).not.toContain('Secret');
  });

  test('a seller gets nothing of the leads of another seller', async () => {
    const answer = await ask(call, cookies.otherSeller);
    const expected = toOtherSeller[name];
    if (expected === 'shared') expect(answer.status, answer.text).toBeLessThan(300);
    else if (expected === 'nothing') expect(answer).toMatchObject({ status: 200, body: { data: [], total: 0 } });
    else expectProblem(answer, expected as 'lead_not_found');
    for (const secret of ['Ana Secret', 'Secret reminder', owned.phone]) expect(answer.text).not.toContain(secret);
  });

  test('without a session there is 401, and another site changes nothing', async () => {
    expectProblem(await ask(call), 'invalid_session');
    if (call.method === 'GET') return;
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    const path = call.path(owned);
    expectProblem(await askAsPage(call.method, path, { cookie: cookies.owner, headers }), 'cross_site_request');
  });
});

test('the seller of a lead works with it, and an owner with all', async () => {
  for (const cookie of [cookies.seller, cookies.owner]) {
    const lead = await askAsPage('GET', `/leads/${owned.leadId}`, { cookie });
    expect(lead.body).toMatchObject({ id: owned.leadId, name: 'Ana Secret' });
    const sent = await askAsPage('POST', `/leads/${owned.leadId}/messages`, { cookie, body: { message: 'Oi' } });
    expect(sent.status, sent.text).toBe(200);
    const { body } = await askAsPage('GET', `/leads/${owned.leadId}/messages/${sent.body.id}`, { cookie });
    expect(body).toMatchObject({ source: 'seller', body: 'Oi' });
  }
});
