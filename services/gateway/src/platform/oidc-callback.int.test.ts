import { createOidcSession, longestOidcAnswer, type PersonSession, startOidcSession } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { oidcAttemptForm, sessionForm } from '@mostrador/kit/tokens/token';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { publicUrl, startTestGateway, type TestGateway } from '../../test/gateway.ts';

let gateway: TestGateway;
const attempt = oidcAttemptForm.make().token;
const token = sessionForm.make().token;
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
const authorization = { url: 'https://login.example.com/auth?state=x' };
/** What accounts got, and what it throws. */
let asked: { session?: string; body: unknown }[] = [];
let error: AppError | undefined;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.serve(
    'accounts',
    { startOidcSession, createOidcSession },
    {
      startOidcSession: async () => ({ attempt_token: attempt, authorization }),
      createOidcSession: async ({ session: previous }, { body }) => {
        asked.push({ body, ...(previous ? { session: previous } : {}) });
        if (error) throw error;
        return { session_token: token, session };
      },
    },
  );
});
afterAll(() => gateway?.stop());
beforeEach(() => {
  asked = [];
  error = undefined;
});

let people = 0;
const ask = (options: InjectOptions) =>
  gateway.app.inject({ remoteAddress: `198.51.100.${people++}`, ...options } as InjectOptions);
const begin = (headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' }) =>
  ask({ method: 'POST', url: '/platform/v1/session/oidc', headers });
/** As a browser comes back: from another site, with the cookies that `lax` lets through. */
const comeBack = (query: string, cookie = `__Host-mostrador-oidc=${attempt}`, more: InjectOptions = {}) =>
  ask({
    url: `/platform/v1/session/oidc/callback${query}`,
    headers: { 'sec-fetch-site': 'cross-site', ...(cookie && { cookie }) },
    ...more,
  });
const cookiesOf = (answer: { headers: Record<string, unknown> }) => [answer.headers['set-cookie']].flat().map(String);
const cleared = expect.stringMatching(/^__Host-mostrador-oidc=; .*Expires=Thu, 01 Jan 1970/);
const loginPage = `${publicUrl}/console/login`;

test('the browser gets the token of its attempt in a cookie that no script and no other host reads', async () => {
  const answer = await begin();
  expect(answer.json()).toEqual(authorization);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(cookiesOf(answer)[0]?.split('; ').sort()).toEqual(
    [`__Host-mostrador-oidc=${attempt}`, 'Max-Age=600', 'Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax'].sort(),
  );
});

test('a page of another site begins no sign-in', async () => {
  for (const site of ['cross-site', 'same-site']) {
    const answer = await begin({ 'sec-fetch-site': site });
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'cross_site_request']);
    expect(answer.headers['set-cookie']).toBeUndefined();
  }
});

test('the way back opens the console with a session, and the attempt is over', async () => {
  const answer = await comeBack(
    '?code=a%20b&state=c&iss=d',
    `__Host-mostrador-oidc=${attempt}; __Host-mostrador=${token}`,
  );
  expect([answer.statusCode, answer.headers.location]).toEqual([303, `${publicUrl}/console/`]);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(cookiesOf(answer)).toEqual([cleared, expect.stringMatching(`^__Host-mostrador=${token}; Max-Age=1209600;`)]);
  expect(asked).toEqual([{ session: token, body: { attempt_token: attempt, answer: 'code=a%20b&state=c&iss=d' } }]);
});

test.each(['?redirect=https://evil.example', '?code=x&next=//evil.example', '?return_to=https://evil.example#x'])(
  '%s leads only to the console',
  async (query) => {
    expect((await comeBack(query)).headers.location).toBe(`${publicUrl}/console/`);
    error = new AppError('oidc_failed');
    expect((await comeBack(query)).headers.location).toBe(`${loginPage}?failed=oidc_failed`);
  },
);

test.each(['oidc_refused', 'oidc_unavailable', 'oidc_email_unverified', 'internal_error', 'upstream_timeout'] as const)(
  '%s is a word for the sign-in page, and never an error page',
  async (code) => {
    error = new AppError(code);
    const answer = await comeBack('?code=x');
    expect([answer.statusCode, answer.headers.location]).toEqual([303, `${loginPage}?failed=${code}`]);
    expect(cookiesOf(answer)).toEqual([cleared]);
    expect(answer.body).toBe('');
  },
);

test.each([
  ['without a cookie', '', {}],
  ['with a cookie that is no token', '__Host-mostrador-oidc=x', {}],
  ['with the token of a session', `__Host-mostrador-oidc=${token}`, {}],
  ['with a cookie that another host can plant', `mostrador-oidc=${attempt}`, {}],
  ['as an image', `__Host-mostrador-oidc=${attempt}`, { 'sec-fetch-mode': 'no-cors' }],
])('%s accounts is not asked, and nothing is counted', async (_what, cookie, headers) => {
  const remoteAddress = '203.0.113.8';
  for (let tried = 0; tried < 50; tried += 1) {
    const answer = await comeBack('?code=x', cookie, {
      remoteAddress,
      headers: { 'sec-fetch-site': 'cross-site', ...headers, ...(cookie && { cookie }) },
    });
    expect(answer.headers.location).toBe(`${loginPage}?failed=oidc_failed`);
  }
  expect(asked).toEqual([]);
  expect((await comeBack('?code=x', undefined, { remoteAddress })).headers.location).toBe(`${publicUrl}/console/`);
});

test('an answer that is too long does not reach accounts', async () => {
  const answer = await comeBack(`?code=${'x'.repeat(longestOidcAnswer)}`);
  expect(answer.headers.location).toBe(`${loginPage}?failed=oidc_failed`);
  expect(asked).toEqual([]);
});

test('without a provider it is a 404', async () => {
  error = new AppError('oidc_not_configured');
  const answer = await comeBack('?code=x');
  expect([answer.statusCode, answer.json().code]).toEqual([404, 'oidc_not_configured']);
});

test('one network gets 20 attempts a minute that fail, and then the sign-in page says so', async () => {
  const remoteAddress = '203.0.113.9';
  for (let signedIn = 0; signedIn < 30; signedIn += 1) {
    expect((await comeBack('?code=x', undefined, { remoteAddress })).headers.location).toBe(`${publicUrl}/console/`);
  }
  asked = [];
  error = new AppError('oidc_failed');
  const answers = [];
  for (let tried = 0; tried < 21; tried += 1) answers.push(await comeBack('?code=x', undefined, { remoteAddress }));
  expect(answers.at(-1)?.headers.location).toBe(`${loginPage}?failed=quota_exceeded`);
  expect(asked).toHaveLength(20);
});
