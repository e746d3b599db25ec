import type { AddressInfo } from 'node:net';
import {
  type Authorized,
  authorizePerson,
  checkPersonSessions,
  getFollowup,
  getLead,
  listFollowups,
  listLeads,
  listStoreMessages,
  recordChange,
  sendMessage,
  type UserRole,
  updateLead,
  upsertLead,
} from '@mostrador/contracts';
import type { Person } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { sessionForm } from '@mostrador/kit/tokens/token';
import { waitFor } from '@mostrador/testing/wait';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EventSource, openEventSource } from '../../test/event-source.ts';
import { serveFeed, type TestFeed } from '../../test/feed.ts';
import { publicUrl, startTestGateway, type TestGateway } from '../../test/gateway.ts';
import { exampleOf } from '../openapi/examples/index.ts';
import { platformPrefix } from '../routes/route.ts';

const storeId = '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6b';
const sellerId = '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b01';
const [ownLead, othersLead] = ['0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b11', '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b12'];
const [ownFollowup, othersFollowup] = ['0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b21', '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b22'];
const userId = '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a';
const token = sessionForm.make().token;

const emptyPage = () => ({ data: [] as never[], total: 0, page: 1, limit: 50 });

let gateway: TestGateway;
let feed: TestFeed;
/** Who is signed in. Null: the session is over. */
let role: UserRole | null = 'owner';
/** Whether accounts cannot check sessions. */
let isDown = false;
/** The sessions that accounts was asked about together. */
let checked: string[][] = [];
const authorizedOf = (session: string | undefined): Authorized | null =>
  role === null || session !== token
    ? null
    : {
        session_id: 'abcdefghijkl',
        user_id: userId,
        role,
        seller_id: role === 'seller' ? sellerId : null,
        store_id: storeId,
        tier: 'pro',
        country: 'BR',
      };
/** What the services were asked, in order. */
let asked: { operation: string; storeId?: string; person?: Person; session?: string; body?: unknown }[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
  feed = await serveFeed(gateway);
  const lead = exampleOf(getLead)?.reply as never;
  const note = (
    operation: string,
    context: { storeId?: string; person?: Person; session?: string },
    body?: unknown,
  ) => {
    const { storeId, person, session } = context;
    asked.push({ operation, storeId, person, session, ...(body ? { body } : {}) });
  };
  await gateway.serve(
    'accounts',
    { authorizePerson, checkPersonSessions, recordChange },
    {
      authorizePerson: async (context, { body }) => {
        note('authorize', context, body);
        const authorized = authorizedOf(context.session);
        if (authorized === null) throw new AppError('invalid_session');
        return authorized;
      },
      checkPersonSessions: async (_context, { body: { tokens } }) => {
        if (isDown) throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
        checked.push(tokens);
        return { sessions: tokens.map(authorizedOf) };
      },
      recordChange: async (context, { body }) => {
        note('record', context, body);
        return { done: true } as const;
      },
    },
  );
  await gateway.serve(
    'crm',
    { getLead, listLeads, updateLead, upsertLead },
    {
      getLead: async (context, { params }) => {
        note('getLead', context);
        if (context.person?.role === 'seller' && params.leadId === othersLead) throw new AppError('lead_not_found');
        return lead;
      },
      listLeads: async (context) => {
        note('listLeads', context);
        return emptyPage();
      },
      updateLead: async (context) => {
        note('updateLead', context);
        return lead;
      },
      upsertLead: async (context) => {
        note('upsertLead', context);
        return { ...(lead as object), created: false } as never;
      },
    },
  );
  await gateway.serve(
    'messaging',
    { sendMessage, listStoreMessages },
    {
      sendMessage: async (context) => {
        note('sendMessage', context);
        return exampleOf(sendMessage)?.reply as never;
      },
      listStoreMessages: async (context) => {
        note('listStoreMessages', context);
        return emptyPage();
      },
    },
  );
  await gateway.serve(
    'scheduling',
    { getFollowup, listFollowups },
    {
      getFollowup: async (context, { params }) => {
        note('getFollowup', context);
        const followup = exampleOf(getFollowup)?.reply as object;
        return { ...followup, lead_id: params.followupId === ownFollowup ? ownLead : othersLead } as never;
      },
      listFollowups: async (context) => {
        note('listFollowups', context);
        return emptyPage();
      },
    },
  );
});
afterAll(() => gateway?.stop());
beforeEach(() => {
  role = 'owner';
  isDown = false;
  asked = [];
  checked = [];
});

const signedIn = { cookie: `__Host-mostrador=${token}`, 'sec-fetch-site': 'same-origin' };
const ask = (method: InjectOptions['method'], path: string, more: InjectOptions = {}) =>
  gateway.app.inject({ method, url: `${platformPrefix}${path}`, headers: signedIn, ...more });
const operations = () => asked.map(({ operation }) => operation);
const reply = async (method: InjectOptions['method'], path: string, payload?: object) => {
  const answer = await ask(method, path, payload ? { payload } : {});
  return [answer.statusCode, answer.json().code];
};

test('a service gets the store and the person, and never the session', async () => {
  const answer = await ask('GET', `/leads/${ownLead}`);
  expect(answer.statusCode, answer.body).toBe(200);
  expect(asked).toMatchObject([
    { operation: 'authorize', session: token, body: { touch: true } },
    { operation: 'getLead', storeId, person: { userId, role: 'owner', sellerId: null }, session: undefined },
  ]);
});

test('what a person changes is recorded before the service is asked, and what they read is not', async () => {
  await ask('POST', `/leads/${ownLead}/messages`, { payload: { message: 'Olá' } });
  expect(operations()).toEqual(['authorize', 'record', 'sendMessage']);
  expect(asked[1]?.body).toEqual({ action: 'messages.send', subject_id: ownLead });
});

test('a phone in a path is not recorded', async () => {
  await ask('PUT', '/leads/by-phone/5511900000001', { payload: { name: 'Ana' } });
  expect(operations()).toEqual(['authorize', 'record', 'upsertLead']);
  expect(asked[1]?.body).toEqual({ action: 'leads.upsert', subject_id: '' });
});

test('of a change it is recorded which members it gives, and never what they say', async () => {
  await ask('PATCH', `/leads/${ownLead}`, { payload: { name: 'Ana', email: null } });
  expect(operations()).toEqual(['authorize', 'record', 'updateLead']);
  const details = { changed: ['name', 'email'] };
  expect(asked[1]?.body).toEqual({ action: 'leads.update', subject_id: ownLead, details });
});

test('an invalid request is neither recorded nor sent on', async () => {
  expect(await reply('POST', `/leads/${ownLead}/messages`, { message: '' })).toEqual([400, 'validation_failed']);
  expect(operations()).toEqual(['authorize']);
});

test('the next page is at the address for people', async () => {
  feed.append(storeId);
  const answer = await ask('GET', '/leads');
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['cache-control']).toBe('no-store');
  const sent = await ask('POST', `/leads/${ownLead}/messages`, { payload: { message: 'Olá' } });
  expect(sent.headers.location).toMatch(new RegExp(`^${publicUrl}${platformPrefix}/leads/${ownLead}/messages/`));
});

describe('without a session', () => {
  test.each([
    ['no cookie', { headers: { 'sec-fetch-site': 'same-origin' } }],
    ['an API key', { headers: { 'x-api-key': 'mk_live_abcdefgh_0' } }],
    ['another token', { headers: { cookie: `__Host-mostrador=${sessionForm.make().token}` } }],
  ])('%s gets 401, also where there is nothing', async (_what, more) => {
    for (const path of ['/leads', `/leads/${ownLead}`]) {
      const answer = await ask('GET', path, more);
      expect([answer.statusCode, answer.json().code]).toEqual([401, 'invalid_session']);
    }
    expect(operations()).not.toContain('getLead');
  });

  test('accounts is not asked about one false session after another from the same network, and other networks go on', async () => {
    const cookie = `__Host-mostrador=${sessionForm.make().token}`;
    const flood = { remoteAddress: '203.0.113.7', headers: { ...signedIn, cookie } };
    const answers: Awaited<ReturnType<typeof ask>>[] = [];
    const refused = () => answers.find(({ statusCode }) => statusCode === 429);
    while (!refused()) {
      answers.push(...(await Promise.all(Array.from({ length: 50 }, () => ask('GET', '/leads', flood)))));
    }
    expect([...new Set(answers.map(({ statusCode }) => statusCode))].sort()).toEqual([401, 429]);
    expect(refused()?.headers['retry-after']).toBe('1');
    expect((await ask('GET', '/leads', { remoteAddress: '203.0.113.8' })).statusCode).toBe(200);
    expect((await ask('GET', '/leads', { remoteAddress: '203.0.113.7' })).statusCode).toBe(200);
  });

  test('another site changes nothing', async () => {
    const headers = { ...signedIn, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    const answer = await ask('POST', `/leads/${ownLead}/messages`, { headers, payload: { message: 'x' } });
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'cross_site_request']);
    expect(asked).toEqual([]);
  });
});

describe('a seller', () => {
  beforeEach(() => {
    role = 'seller';
  });

  test('asks crm with who they are, which limits the list', async () => {
    await ask('GET', '/leads');
    expect(asked.at(-1)).toMatchObject({ operation: 'listLeads', person: { role: 'seller', sellerId } });
  });

  test.each([
    ['PATCH', `/leads/${othersLead}`, { name: 'x' }],
    ['POST', `/leads/${othersLead}/messages`, { message: 'x' }],
    ['GET', `/leads/${othersLead}/messages`, undefined],
    ['GET', `/leads/${othersLead}/conversation`, undefined],
    ['GET', `/leads/${othersLead}/sessions`, undefined],
    ['GET', `/messages?lead_id=${othersLead}`, undefined],
    ['GET', `/followups/scheduled?lead_id=${othersLead}`, undefined],
    ['GET', `/followups/scheduled/${othersFollowup}`, undefined],
    ['DELETE', `/followups/scheduled/${othersFollowup}`, undefined],
    ['POST', '/followups/scheduled', { lead_id: othersLead, message: 'x', delay_minutes: 5 }],
    ['POST', '/appointments', { lead_id: othersLead, title: 'x', scheduled_at: '2027-01-31T09:00:00Z' }],
  ] as const)('%s %s about the lead of another seller gets 404, and nothing happens', async (method, path, body) => {
    expect(await reply(method, path, body)).toEqual([404, 'lead_not_found']);
    expect(operations().filter((name) => !['authorize', 'getLead', 'getFollowup'].includes(name))).toEqual([]);
  });

  test.each([
    ['PATCH', `/leads/${ownLead}`, { name: 'x' }, 'updateLead'],
    ['POST', `/leads/${ownLead}/messages`, { message: 'x' }, 'sendMessage'],
    ['GET', `/messages?lead_id=${ownLead}`, undefined, 'listStoreMessages'],
    ['GET', `/followups/scheduled?lead_id=${ownLead}`, undefined, 'listFollowups'],
    ['GET', `/followups/scheduled/${ownFollowup}`, undefined, 'getFollowup'],
  ] as const)('%s %s about their own lead goes on', async (method, path, body, operation) => {
    expect((await reply(method, path, body))[0]).toBe(200);
    expect(operations()).toContain(operation);
  });

  test.each([
    ['GET', '/messages', undefined, 'manager'],
    ['GET', '/followups/scheduled', undefined, 'manager'],
    ['PUT', '/leads/by-phone/5511900000001', { name: 'x' }, 'manager'],
    ['GET', '/reports/summary?from=2027-01-01T00:00:00Z', undefined, 'manager'],
    ['GET', '/events', undefined, 'manager'],
    ['POST', '/sellers', { name: 'x', whatsapp_id: '5511900000001' }, 'manager'],
    ['POST', '/webhooks/endpoints', { url: 'https://hooks.example.com/' }, 'owner'],
  ] as const)('%s %s is not for sellers', async (method, path, payload, needed) => {
    const answer = await ask(method, path, payload ? { payload } : {});
    expect(answer.json()).toMatchObject({ status: 403, code: 'role_required', required_role: needed });
    expect(operations()).toEqual(['authorize']);
  });
});

describe('the stream of a page', () => {
  let port: number;
  const opened: EventSource[] = [];
  beforeAll(async () => {
    await gateway.app.listen({ host: '127.0.0.1', port: 0 });
    port = (gateway.app.server.address() as AddressInfo).port;
  });
  afterAll(() => {
    for (const source of opened) source.close();
  });
  const open = async (query = '') => {
    const source = await openEventSource(port, { prefix: platformPrefix, query, headers: signedIn });
    opened.push(source);
    return source;
  };

  test('it says what happened to what, shows nothing of the resource, and does not keep the session in use', async () => {
    role = 'seller';
    const source = await open('?after=0');
    const event = feed.append(storeId, 'lead.updated', { text: 'Secret' });
    await waitFor(() => source.sequences().includes(event.sequence), { description: 'the hint has come' });
    const hint = JSON.parse(source.frames().findLast(({ data }) => data)?.data ?? '');
    const { sequence, type, entity, data } = event;
    expect(hint).toEqual({ sequence, type, entity, lead_id: (data as { lead_id: string }).lead_id });
    expect(asked.filter(({ operation }) => operation === 'authorize')).toMatchObject([{ body: { touch: false } }]);
  });

  test('streams of one session are checked together, and not once each', async () => {
    await Promise.all(Array.from({ length: 20 }, () => open()));
    checked = [];
    await waitFor(() => checked.length >= 3, { description: 'they were checked three times' });
    expect(checked).toEqual(checked.map(() => [token]));
  });

  test('while accounts does not answer a stream stays open and shows nothing, and goes on afterwards', async () => {
    const source = await open('?after=0');
    await waitFor(() => source.frames().length > 0, { description: 'the stream has begun' });
    isDown = true;
    const sinceMs = performance.now();
    // Nothing is read on what accounts said more than 3 s ago.
    await waitFor(() => performance.now() - sinceMs > 4_000, { description: '4 s have passed' });
    const event = feed.append(storeId);
    const appendedMs = performance.now();
    await waitFor(() => performance.now() - appendedMs > 1_500, { description: '1.5 s have passed' });
    expect([source.hasEnded(), source.sequences().includes(event.sequence)]).toEqual([false, false]);
    isDown = false;
    await waitFor(() => source.sequences().includes(event.sequence), { description: 'the hint has come' });
  });

  test('a session that ends while accounts does not answer sees nothing more', async () => {
    const source = await open();
    await waitFor(() => source.frames().length > 0, { description: 'the stream has begun' });
    isDown = true;
    const sinceMs = performance.now();
    await waitFor(() => performance.now() - sinceMs > 4_000, { description: '4 s have passed' });
    role = null;
    const event = feed.append(storeId);
    isDown = false;
    await waitFor(() => source.hasEnded(), { description: 'the stream has ended' });
    expect(source.sequences()).not.toContain(event.sequence);
  });

  test('it ends when the session is over', async () => {
    const source = await open();
    await waitFor(() => source.frames().length > 0, { description: 'the stream has begun' });
    role = null;
    await waitFor(() => source.hasEnded(), { description: 'the stream has ended' });
  });
});
