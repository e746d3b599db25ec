import { beforeAll, describe, expect, test } from 'vitest';
import { type Call, callOf, type KeyOperation, keyOperations, type Owned, roleOf } from './operations.ts';
import { ownedRows } from './owned.ts';
import { askAsPage, signInAs } from './people.ts';
import { newStore, request } from './platform.ts';
import { expectProblem } from './problem.ts';

/** Beside what names a lead or a follow-up: it would change a lead by its phone, or it lists leads. */
const special: Readonly<Record<string, 'role_required' | 'nothing'>> = {
  upsertLead: 'role_required',
  listLeads: 'nothing',
};

/** What a seller of the store gets who has nothing to do with the lead: an error, or what all people of the store see. */
function toOtherSeller(name: string, operation: KeyOperation, { names }: Call) {
  if (roleOf(operation) !== 'seller') return 'role_required';
  const isOfOneLead = names.includes('leadId') || names.includes('followupId');
  return special[name] ?? (isOfOneLead ? 'lead_not_found' : 'shared');
}

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

const ask = ({ method, path, body }: Call, cookie?: string) => askAsPage(method, path, { cookie, body });

/** A person has no key, so `GET /me` has no path for people. */
const ofPeople = keyOperations.filter(({ operation }) => operation.access.scope !== null);

describe.each(ofPeople)('$name with a session', ({ name, operation }) => {
  test('a person of another store gets nothing of this one', async () => {
    const call = await callOf(operation, owned);
    const answer = await ask(call, cookies.stranger);
    const unknown = operation.errors.filter((code) => code.endsWith('_not_found'));
    if (unknown.length > 0 && call.names.some((row) => row !== 'phone')) {
      expect(unknown, answer.text).toContain(answer.body.code);
    }
    expect(answer.text).not.toContain(store.id);
    expect(answer.text).not.toContain('Secret');
  });

  test('a seller gets nothing of the leads of another seller', async () => {
    const call = await callOf(operation, owned);
    const answer = await ask(call, cookies.otherSeller);
    const expected = toOtherSeller(name, operation, call);
    if (expected === 'shared') expect(answer.status, answer.text).toBeLessThan(300);
    else if (expected === 'nothing') expect(answer).toMatchObject({ status: 200, body: { data: [], total: 0 } });
    else expectProblem(answer, expected);
    for (const secret of ['Ana Secret', 'Secret reminder', owned.phone]) expect(answer.text).not.toContain(secret);
  });

  test('without a session there is 401, and another site changes nothing', async () => {
    const call = await callOf(operation, owned);
    expectProblem(await ask(call), 'invalid_session');
    if (call.method === 'GET') return;
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    const { method, path } = call;
    expectProblem(await askAsPage(method, path, { cookie: cookies.owner, headers }), 'cross_site_request');
  });
});

test('the seller of a lead works with it, and an owner with all', async () => {
  for (const cookie of [cookies.seller, cookies.owner]) {
    const lead = await askAsPage('GET', `/leads/${owned.leadId}`, { cookie });
    expect(lead.body).toMatchObject({ id: owned.leadId, name: 'Ana Secret' });
    const sent = await askAsPage('POST', `/leads/${owned.leadId}/messages`, { cookie, body: { message: 'Oi' } });
    expect(sent.status, sent.text).toBe(200);
    const { body } = await askAsPage('GET', `/leads/${owned.leadId}/messages/${sent.body.id}`, { cookie });
    const name = (await askAsPage('GET', '/session', { cookie })).body.user.name;
    expect(name).toBeTruthy();
    expect(body).toMatchObject({ source: 'seller', body: 'Oi', author: { kind: 'user', name } });
  }
});
