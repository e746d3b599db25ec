import {
  type Authorized,
  checkPersonSessions,
  createPasskeySession,
  createPersonSession,
  endPersonSession,
  getPersonSession,
  listPersonSessions,
  type PersonSession,
  revokePersonSession,
} from '@mostrador/contracts';
import type { Client } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { deviceForm, loginLinkForm, sessionForm } from '@mostrador/kit/tokens/token';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { publicUrl, startTestGateway, type TestGateway } from '../../test/gateway.ts';
import { accountRoutes } from '../routes/index.ts';
import { platformPrefix } from '../routes/route.ts';

let gateway: TestGateway;
const token = sessionForm.make().token;
const deviceToken = deviceForm.make().token;
const moment = '2027-01-31T09:00:00.000Z';
const session: PersonSession = {
  id: 'abcdefghijkl',
  user: { id: '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a', name: 'Ana', email: 'ana@example.com' },
  store: { id: '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6b', name: 'Ótica' },
  role: 'owner',
  seller_id: null,
  created_at: moment,
  expires_at: moment,
};
const authorized: Authorized = {
  session_id: session.id,
  user_id: session.user.id,
  role: 'owner',
  seller_id: null,
  store_id: session.store.id,
  tier: 'pro',
  country: 'BR',
};
const falseLink = loginLinkForm.make().token;
/** Whether every login link is false. */
let falseLinks = false;
/** What accounts got with each request. */
let asked: { operation: string; session?: string; client?: Client; body?: unknown }[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
  const got = (operation: string, context: { session?: string; client?: Client }, body?: unknown) => {
    asked.push({ operation, session: context.session, client: context.client, ...(body ? { body } : {}) });
    if (operation !== 'create' && context.session !== token) throw new AppError('invalid_session');
  };
  await gateway.serve(
    'accounts',
    {
      ...{ createPersonSession, createPasskeySession, checkPersonSessions },
      ...{ getPersonSession, endPersonSession, listPersonSessions, revokePersonSession },
    },
    {
      checkPersonSessions: async (context, { body: { tokens } }) => {
        asked.push({ operation: 'check', session: context.session });
        return { sessions: tokens.map((each) => (each === token ? authorized : null)) };
      },
      createPasskeySession: async (): Promise<never> => {
        throw new AppError('invalid_credentials');
      },
      createPersonSession: async (context, { body }) => {
        got('create', context, body);
        if (body.password !== undefined) throw new AppError('invalid_credentials');
        if (falseLinks || body.token === falseLink) throw new AppError('invalid_login_link');
        return { session_token: token, session, device_token: deviceToken };
      },
      getPersonSession: async (context) => {
        got('get', context);
        return session;
      },
      endPersonSession: async (context) => {
        got('end', context);
        return {};
      },
      listPersonSessions: async (context) => {
        got('list', context);
        return { data: [] as never[] };
      },
      revokePersonSession: async (context) => {
        got('revoke', context);
        return {};
      },
    },
  );
});
afterAll(() => gateway?.stop());
beforeEach(() => {
  asked = [];
});

const sameOrigin = { 'sec-fetch-site': 'same-origin' };
const cookie = { cookie: `__Host-mostrador=${token}` };
const ask = (method: InjectOptions['method'], path: string, more: InjectOptions = {}) =>
  gateway.app.inject({ method, url: `${platformPrefix}${path}`, ...more });
const signIn = (more: InjectOptions = {}) =>
  ask('POST', '/session', { headers: sameOrigin, payload: { token: loginLinkForm.make().token }, ...more });

test('signing in sets a cookie that no script and no other host can read or plant, and shows no token', async () => {
  const answer = await signIn({ headers: { ...sameOrigin, 'user-agent': 'Firefox' }, remoteAddress: '203.0.113.7' });
  expect(answer.statusCode).toBe(201);
  expect(answer.json()).toEqual(session);
  expect(answer.body).not.toContain(token);
  expect(answer.body).not.toContain(deviceToken);
  const [set = '', device = '', ...others] = [answer.headers['set-cookie']].flat();
  expect(others).toEqual([]);
  expect(device.split('; ').sort()).toEqual(
    [
      `__Host-mostrador-device=${deviceToken}`,
      'Max-Age=15552000',
      'Path=/',
      'HttpOnly',
      'Secure',
      'SameSite=Strict',
    ].sort(),
  );
  expect(set.split('; ').sort()).toEqual(
    [`__Host-mostrador=${token}`, 'Max-Age=1209600', 'Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax'].sort(),
  );
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(asked).toMatchObject([{ operation: 'create', client: { address: '203.0.113.7', agent: 'Firefox' } }]);
});

test('the session of the cookie reaches accounts, which decides', async () => {
  expect((await ask('GET', '/session', { headers: cookie })).json()).toEqual(session);
  expect((await ask('GET', '/sessions', { headers: cookie })).json()).toEqual({ data: [] });
  const headers = { ...cookie, ...sameOrigin };
  expect((await ask('DELETE', '/sessions/abcdefghijkl', { headers })).statusCode).toBe(204);
  expect(asked.map(({ operation, session: sent }) => [operation, sent])).toEqual([
    ['get', token],
    ['list', token],
    ['revoke', token],
  ]);
});

test('a body of an operation that takes none ends no session, unless it is an empty object', async () => {
  const headers = { ...cookie, ...sameOrigin };
  const end = (payload: object) => ask('DELETE', '/sessions/abcdefghijkl', { headers, payload });
  const refused = await end({ session_id: 'abcdefghijkm' });
  expect([refused.statusCode, refused.json().errors]).toEqual([
    400,
    [{ pointer: '#/session_id', detail: 'is not a member of this request' }],
  ]);
  expect(asked).toEqual([]);
  expect((await end({})).statusCode).toBe(204);
});

test('accounts learns which browser asks, unless the cookie cannot be one, and a sign-out leaves it', async () => {
  for (const [sent, device] of [
    [deviceToken, deviceToken],
    ['md_x', undefined],
  ]) {
    await signIn({ headers: { ...sameOrigin, cookie: `__Host-mostrador-device=${sent}` } });
    expect(asked.pop()?.client?.device).toBe(device);
  }
  const answer = await ask('DELETE', '/session', { headers: { ...cookie, ...sameOrigin } });
  expect(String(answer.headers['set-cookie'])).not.toContain('device');
});

test('signing out takes the cookie away', async () => {
  const answer = await ask('DELETE', '/session', { headers: { ...cookie, ...sameOrigin } });
  expect(answer.statusCode).toBe(204);
  expect(answer.headers['set-cookie']).toMatch(/^__Host-mostrador=; .*Expires=Thu, 01 Jan 1970/);
});

test.each([
  ['no cookie', {}],
  ['a cookie that is no token', { cookie: '__Host-mostrador=x%0d%0aMostrador-Store:%20y' }],
  ['a cookie without the prefix that binds it to the host', { cookie: `mostrador=${token}` }],
  ['another token', { cookie: `__Host-mostrador=${sessionForm.make().token}` }],
  ['the token as an API key', { 'x-api-key': token }],
])('%s gets 401', async (_what, headers) => {
  const answer = await ask('GET', '/session', { headers });
  expect([answer.statusCode, answer.json().code]).toEqual([401, 'invalid_session']);
});

test('the cookie opens nothing of the public API', async () => {
  const answer = await gateway.app.inject({ url: '/integrations/v1/store', headers: cookie });
  expect([answer.statusCode, answer.json().code]).toEqual([401, 'missing_api_key']);
});

const unsafe = accountRoutes.filter(({ method }) => method !== 'GET');
test.each(unsafe)('$method $path from another site is rejected before anything happens', async ({ method, path }) => {
  const url = path.replace(/:\w+/, 'abcdefghijkl');
  const payload = method === 'POST' ? { token: loginLinkForm.make().token } : undefined;
  for (const from of [
    {},
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'same-site', origin: publicUrl },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]) {
    const answer = await ask(method, url, { headers: { ...cookie, ...from }, payload });
    expect([answer.statusCode, answer.json().code], JSON.stringify(from)).toEqual([403, 'cross_site_request']);
  }
  expect(asked).toEqual([]);
  const fromOldBrowser = await ask(method, url, { headers: { ...cookie, origin: publicUrl }, payload });
  expect(fromOldBrowser.body).not.toContain('cross_site_request');
});

test('a form of another site cannot sign a person in: only JSON is accepted', async () => {
  const headers = { ...sameOrigin, 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await ask('POST', '/session', { headers, payload: 'token=x' });
  expect(answer.statusCode).toBe(415);
});

test.each([
  ['POST', '/session', { payload: {} }, 'validation_failed'],
  ['POST', '/session', { payload: { token: 'x', more: 1 } }, 'validation_failed'],
  ['GET', '/session?x=1', {}, 'validation_failed'],
  ['DELETE', '/sessions/%20', {}, 'validation_failed'],
  ['GET', '/nothing', {}, 'route_not_found'],
  ['PUT', '/session', {}, 'method_not_allowed'],
] as const)('%s %s with %j gets %s', async (method, path, more, code) => {
  const answer = await ask(method, path, { headers: { ...cookie, ...sameOrigin }, ...more });
  expect(answer.json().code).toBe(code);
});

describe('attempts to sign in', () => {
  const ways: readonly (readonly [string, object?])[] = [
    ['/session', { token: falseLink }],
    ['/session', { email: 'ana@example.com', password: 'not this one' }],
    ['/session/passkey', { answer: {} }],
  ];
  const attempt = ([path, payload]: (typeof ways)[number], remoteAddress: string) =>
    ask('POST', path, { headers: sameOrigin, remoteAddress, ...(payload && { payload }) });
  const times = async (count: number, send: () => ReturnType<typeof ask>) => {
    const answers = await Promise.all(Array.from({ length: count }, send));
    return answers.filter(({ statusCode }) => statusCode === 429);
  };
  const password = ways[1] as (typeof ways)[number];

  test('a network that fails too often gets 429, and others sign in', async () => {
    const fromOne = () => attempt(password, '2001:db8:1:2::1');
    const fromTheSame = () => attempt(['/session', { email: 'rui@example.com', password: 'x' }], '2001:db8:1:2:ff::2');
    // All at once, because the network gets another attempt every 3 s. The ten would be too few for a limit of their own.
    const [one, other] = await Promise.all([times(25, fromOne), times(10, fromTheSame)]);
    expect(one.length).toBeGreaterThanOrEqual(4);
    expect(Number(other[0]?.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await signIn({ remoteAddress: '2001:db8:1:3::1' })).statusCode).toBe(201);
  });

  test('a way to sign in whose attempts are used up does not lock the others', async () => {
    const remoteAddress = '198.51.100.7';
    expect((await times(30, () => attempt(password, remoteAddress))).length).toBeGreaterThan(0);
    for (const way of ways) {
      if (way !== password) expect((await attempt(way, remoteAddress)).statusCode, way[0]).toBe(401);
    }
    expect((await signIn({ remoteAddress })).statusCode).toBe(201);
  });

  test('a person who signs in again and again is not refused', async () => {
    for (let signedIn = 0; signedIn < 60; signedIn += 1) {
      expect((await signIn({ remoteAddress: '198.51.100.8' })).statusCode).toBe(201);
    }
  });

  test('a good login link is accepted while its network tries false ones', async () => {
    const remoteAddress = '198.51.100.9';
    const flood = () => attempt(['/session', { token: loginLinkForm.make().token }], remoteAddress);
    falseLinks = true;
    await Promise.all(Array.from({ length: 60 }, flood));
    falseLinks = false;
    expect((await signIn({ remoteAddress })).statusCode).toBe(201);
  });

  test('a page of another site uses up nothing', async () => {
    const remoteAddress = '198.51.100.10';
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    for (const path of ['/session', '/sign-in', '/stores', '/session/passkey/options']) {
      for (let shown = 0; shown < 40; shown += 1) {
        const { statusCode } = await ask('GET', path, { headers, remoteAddress });
        expect([401, 403, 405]).toContain(statusCode);
      }
    }
    expect(asked).toEqual([]);
  });
});

describe('a network that sends false sessions', () => {
  const remoteAddress = '203.0.113.50';
  const read = (session: string) =>
    ask('GET', '/session', { headers: { cookie: `__Host-mostrador=${session}` }, remoteAddress });

  test('waits with them, and a person there goes on, also one whom the gateway does not know yet', async () => {
    const statuses = new Set<number>();
    while (!statuses.has(429)) {
      const flood = Array.from({ length: 100 }, () => read(sessionForm.make().token));
      for (const { statusCode } of await Promise.all(flood)) statuses.add(statusCode);
    }
    expect(statuses).toEqual(new Set([401, 429]));
    const [answer] = await Promise.all([
      read(token),
      ...Array.from({ length: 300 }, () => read(sessionForm.make().token)),
    ]);
    expect(answer?.statusCode).toBe(200);
    for (let asked = 0; asked < 20; asked += 1) expect((await read(token)).statusCode).toBe(200);
  });

  test('does not keep accounts busy: many of them are one request', async () => {
    asked = [];
    await Promise.all(Array.from({ length: 500 }, () => read(sessionForm.make().token)));
    expect(asked.length).toBeLessThan(60);
  });
});
