import { randomUUID } from 'node:crypto';
import {
  authorizePerson,
  getStoreChannel,
  giveUpWaitingMessages,
  listWaitingDeliveries,
  listWaitingMessages,
  listWaitingScheduling,
  recordChange,
  retryWaitingScheduling,
  type UserRole,
  type WaitingItem,
  type WaitingKind,
  type WaitingPlace,
} from '@mostrador/contracts';
import type { Person } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { sessionForm } from '@mostrador/kit/tokens/token';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway, workflowsUrl } from '../../test/gateway.ts';
import { platformPrefix } from '../routes/route.ts';

const storeId = randomUUID();
const userId = randomUUID();
const token = sessionForm.make().token;
const change = { matched: 1, done: 1, skipped: [], next_cursor: null };

let gateway: TestGateway;
let role: UserRole = 'owner';
/** What waits in the services, which stand-ins answer by the same rules. */
let waiting: WaitingItem[] = [];
/** The services that fail now. */
let failing: string[] = [];
let asked: { operation: string; person?: Person; storeId?: string; body?: unknown }[] = [];
let audited: unknown[] = [];

const item = (kind: WaitingKind, minute: number, id: string = randomUUID()): WaitingItem => ({
  kind,
  id,
  lead_id: null,
  endpoint_id: null,
  since: `2027-01-31T09:${String(minute).padStart(2, '0')}:00.000Z`,
  until: null,
  reason: 'due',
  detail: 'The next attempt begins now.',
  attempts: 0,
  workflow_id: null,
});
const place = ({ since, kind, id }: WaitingPlace) => `${since} ${kind} ${id}`;
const inOrder = (items: readonly WaitingItem[]) => items.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));

beforeAll(async () => {
  gateway = await startTestGateway();
  const note = (operation: string, { person, storeId }: { person?: Person; storeId?: string }, body: unknown) => {
    asked.push({ operation, person, storeId, body });
  };
  const listOf =
    (service: string, ...kinds: WaitingKind[]) =>
    async (
      context: { person?: Person; storeId: string },
      { body }: { body: { kind?: WaitingKind; after?: WaitingPlace; limit: number } },
    ) => {
      if (failing.includes(service)) throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
      note(service, context, body);
      const { kind, after, limit } = body;
      const own = waiting.filter((one) => kinds.includes(one.kind) && (kind === undefined || one.kind === kind));
      return { data: inOrder(own.filter((one) => !after || place(one) > place(after))).slice(0, limit) };
    };
  await gateway.serve(
    'accounts',
    { authorizePerson, recordChange },
    {
      authorizePerson: async (context) => {
        if (context.session !== token) throw new AppError('invalid_session');
        return {
          session_id: 'abcdefghijkl',
          user_id: userId,
          role,
          seller_id: role === 'seller' ? userId : null,
          store_id: storeId,
          tier: 'pro',
          country: 'BR',
        };
      },
      recordChange: async (_context, { body }) => {
        audited.push(body);
        return { done: true } as const;
      },
    },
  );
  await gateway.serve(
    'scheduling',
    { listWaitingScheduling, retryWaitingScheduling },
    {
      listWaitingScheduling: listOf('scheduling', 'calendar_sync', 'followup'),
      retryWaitingScheduling: async (context, { body }) => {
        note('retry', context, body);
        return change;
      },
    },
  );
  await gateway.serve(
    'messaging',
    { listWaitingMessages, giveUpWaitingMessages, getStoreChannel },
    {
      listWaitingMessages: listOf('messaging', 'message'),
      giveUpWaitingMessages: async (context, { body }) => {
        note('give up', context, body);
        return change;
      },
      getStoreChannel: async () => {
        throw new AppError('internal_error');
      },
    },
  );
  await gateway.serve(
    'events',
    { listWaitingDeliveries },
    { listWaitingDeliveries: listOf('events', 'webhook_delivery') },
  );
});
afterAll(() => gateway?.stop());
beforeEach(() => {
  role = 'owner';
  waiting = [];
  failing = [];
  asked = [];
  audited = [];
});

const ask = async (method: InjectOptions['method'], path: string, payload?: object) => {
  const headers = { 'sec-fetch-site': 'same-origin', cookie: `__Host-mostrador=${token}` };
  const answer = await gateway.app.inject({ method, url: `${platformPrefix}${path}`, headers, payload });
  return { status: answer.statusCode, body: answer.json() };
};

describe('GET /waiting', () => {
  test('merges the services, the oldest first, and a walk shows each item once', async () => {
    waiting = [
      ...[9, 3, 5].map((minute) => item('message', minute)),
      ...[4, 5, 1].map((minute) => item('followup', minute)),
      ...[5, 5, 2].map((minute) => item('webhook_delivery', minute)),
      ...[8, 5, 5].map((minute) => item('calendar_sync', minute)),
    ];
    const seen: WaitingItem[] = [];
    for (let cursor = ''; ; ) {
      const { status, body } = await ask('GET', `/waiting?limit=5${cursor && `&cursor=${cursor}`}`);
      expect({ status, unavailable: body.unavailable }).toEqual({ status: 200, unavailable: [] });
      seen.push(...body.data);
      if (body.next_cursor === null) break;
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(inOrder(waiting));
    for (const { person, storeId: asks } of asked) {
      expect({ person, asks }).toEqual({ person: { userId, role: 'owner', sellerId: null }, asks: storeId });
    }
    expect(audited).toEqual([]);
  });

  test('asks only the service of the kind', async () => {
    waiting = [item('message', 1), item('followup', 2), item('calendar_sync', 3)];
    const { body } = await ask('GET', '/waiting?kind=followup');
    expect(body).toMatchObject({ data: [{ kind: 'followup' }], next_cursor: null });
    expect(asked.map(({ operation }) => operation)).toEqual(['scheduling']);
  });

  test('names a service that does not answer, and shows what the others say', async () => {
    waiting = [item('message', 1), item('followup', 2)];
    failing = ['messaging', 'events'];
    expect((await ask('GET', '/waiting')).body).toMatchObject({
      data: [{ kind: 'followup' }],
      next_cursor: null,
      unavailable: ['events', 'messaging'],
    });
  });

  test.each([
    ['/waiting?kind=lead', 'kind'],
    ['/waiting?limit=0', 'limit'],
    ['/waiting?cursor=x', 'cursor'],
  ])('%s is rejected', async (path, name) => {
    const { status, body } = await ask('GET', path);
    expect([status, body.errors[0].name]).toEqual([400, name]);
  });

  test('a cursor belongs to its kind', async () => {
    waiting = [item('message', 1), item('message', 2)];
    const { body } = await ask('GET', '/waiting?limit=1&kind=message');
    expect((await ask('GET', `/waiting?limit=1&cursor=${body.next_cursor}`)).status).toBe(400);
  });
});

describe('a retry and a give-up', () => {
  const ids = [randomUUID()];

  test('go to the service of the kind, and the audit log says what was asked', async () => {
    const retried = { kind: 'followup', filter: { reason: 'postponed' }, dry_run: false };
    const givenUp = { kind: 'message', ids, dry_run: false, unknown_as: 'failed' };
    expect(await ask('POST', '/waiting/retry', retried)).toEqual({ status: 200, body: change });
    expect(await ask('POST', '/waiting/give-up', givenUp)).toEqual({ status: 200, body: change });
    expect(asked).toMatchObject([
      { operation: 'retry', storeId, person: { userId, role: 'owner' }, body: retried },
      { operation: 'give up', storeId, person: { userId, role: 'owner' }, body: givenUp },
    ]);
    expect(audited).toEqual([
      { action: 'waiting.retry', subject_id: '', details: { kind: 'followup', filter: { reason: 'postponed' } } },
      { action: 'waiting.give_up', subject_id: '', details: { kind: 'message', ids, unknown_as: 'failed' } },
    ]);
  });

  test('a dry run has no entry in the audit log', async () => {
    await ask('POST', '/waiting/retry', { kind: 'followup', filter: {}, dry_run: true });
    expect(asked).toHaveLength(1);
    expect(audited).toEqual([]);
  });

  test('a request that does not say whether it is a dry run is rejected', async () => {
    expect(await ask('POST', '/waiting/give-up', { kind: 'message', ids })).toMatchObject({ status: 400 });
    expect([asked, audited]).toEqual([[], []]);
  });

  test('a service that is down gets 503', async () => {
    const { status, body } = await ask('POST', '/waiting/retry', { kind: 'webhook_delivery', ids, dry_run: false });
    expect([status, body.code]).toEqual([503, 'service_unavailable']);
  });
});

test('the environment says where workflows are shown', async () => {
  expect(await ask('GET', '/environment')).toEqual({ status: 200, body: { workflows_url: workflowsUrl } });
});

test('the audit log says to which provider a connection was asked, and none of its secrets', async () => {
  const secrets = { access_token: 'open-sesame' };
  await ask('PUT', '/channel', { provider: 'whatsapp_cloud', phone: '15550783881', secrets });
  expect(audited).toEqual([{ action: 'channels.connect', subject_id: '', details: { provider: 'whatsapp_cloud' } }]);
});

test.each<[UserRole, InjectOptions['method'], string]>([
  ['seller', 'GET', '/waiting'],
  ['seller', 'GET', '/environment'],
  ['seller', 'GET', '/channel'],
  ['seller', 'GET', '/calendar'],
  ['manager', 'POST', '/waiting/retry'],
  ['manager', 'POST', '/waiting/give-up'],
  ['manager', 'PUT', '/channel'],
  ['manager', 'DELETE', '/channel'],
  ['manager', 'PUT', '/calendar'],
  ['manager', 'DELETE', '/calendar'],
])('a %s may not %s %s', async (as, method, path) => {
  role = as;
  const { status, body } = await ask(method, path, method === 'POST' || method === 'PUT' ? {} : undefined);
  expect([status, body.code]).toEqual([403, 'role_required']);
  expect([asked, audited]).toEqual([[], []]);
});
