import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { accountsOperations } from '@mostrador/contracts';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { askAsPage, cookieOf } from './people.ts';
import { type Answer, admin, document, eventually, gatewayUrl, newStore, request, runAdminHere } from './platform.ts';
import { expectProblem } from './problem.ts';

const { outputFile } = inject('platform');

type Person = { email: string; name: string; storeId: string; id: string; cookie: string; sessionId: string };
let ana: Person;
let rui: Person;
let bia: Person;
/** A key of Ana's store. */
let keyId: string;
const shown: string[] = [];

const ask: typeof askAsPage = async (...asked) => {
  const answer = await askAsPage(...asked);
  shown.push(answer.text);
  return answer;
};

async function invite(storeId: string, email: string, name: string) {
  const person = ['--email', email, '--name', name, '--role', 'owner'];
  return await admin(['user', 'invite', '--store', storeId, ...person]);
}
const signIn = (url: string, cookie?: string) =>
  ask('POST', '/session', { body: { token: url.split('#')[1] }, cookie });

async function signedIn(storeId: string): Promise<Person> {
  const secret = randomBytes(8).toString('hex');
  const [email, name] = [`${secret}@example.com`, `Ana ${secret}`];
  const { login_url, user } = await invite(storeId, email, name);
  const answer = await signIn(login_url);
  expect(answer.status, answer.text).toBe(201);
  return { email, name, storeId, id: user.id, cookie: cookieOf(answer), sessionId: answer.body.id };
}

beforeAll(async () => {
  const [first, second] = await Promise.all([newStore(), newStore()]);
  const { key } = await admin(['key', 'create', '--store', first.id, '--name', 'Ana’s key']);
  keyId = key.id;
  [ana, rui, bia] = [await signedIn(first.id), await signedIn(first.id), await signedIn(second.id)];
});

test('a login link of the admin command opens a session, once', async () => {
  const { login_url } = await admin(['user', 'login-link', '--email', ana.email]);
  expect(login_url).toMatch(new RegExp(`^${gatewayUrl}/console/login#`));
  const opened = await signIn(login_url);
  expect(opened.body).toMatchObject({ user: { id: ana.id, email: ana.email }, store: { id: ana.storeId } });
  expect(opened.headers.get('set-cookie')).toMatch(/^__Host-mostrador=.+HttpOnly; Secure; SameSite=Lax$/);
  expectProblem(await signIn(login_url), 'invalid_login_link');
});

test('a person signs out, and the session is over', async () => {
  const { login_url } = await admin(['user', 'login-link', '--email', ana.email]);
  const cookie = cookieOf(await signIn(login_url));
  expect((await ask('GET', '/session', { cookie })).status).toBe(200);
  expect((await ask('DELETE', '/session', { cookie })).status).toBe(204);
  expectProblem(await ask('GET', '/session', { cookie }), 'invalid_session');
});

describe('a person never sees another store', () => {
  /** Every operation for people, called by a person of another store, and by one of the same store. */
  const newKey = { name: 'Site', scopes: ['leads:read'], expires_at: null };
  const calls: Record<string, (cookie: string) => Promise<Answer>> = {
    createPersonSession: (cookie) => ask('POST', '/session', { cookie, body: { token: 'ml_unknown' } }),
    getLoginLink: (cookie) => ask('POST', '/login-link', { cookie, body: { token: 'ml_unknown' } }),
    startJoin: (cookie) => ask('POST', '/session/join/options', { cookie }),
    joinStore: (cookie) => ask('POST', '/session/join', { cookie, body: { password: 'x' } }),
    startOidcJoin: (cookie) => ask('POST', '/session/join/oidc', { cookie }),
    getPersonSession: (cookie) => ask('GET', '/session', { cookie }),
    endPersonSession: (cookie) => ask('DELETE', '/session', { cookie: `${cookie}x` }),
    listPersonSessions: (cookie) => ask('GET', '/sessions', { cookie }),
    revokePersonSession: (cookie) => ask('DELETE', `/sessions/${ana.sessionId}`, { cookie }),
    listStoreKeys: (cookie) => ask('GET', '/keys', { cookie }),
    createStoreKey: (cookie) => ask('POST', '/keys', { cookie, body: newKey }),
    rotateStoreKey: (cookie) => ask('POST', `/keys/${keyOf(cookie)}/rotate`, { cookie, body: { overlap_seconds: 0 } }),
    listPeople: (cookie) => ask('GET', '/users', { cookie }),
    invitePerson: (cookie) => ask('POST', '/users', { cookie, body: newPerson() }),
    updatePerson: (cookie) => ask('PATCH', `/users/${personOf(cookie)}`, { cookie, body: { name: 'X' } }),
    createPersonLink: (cookie) => ask('POST', `/users/${personOf(cookie)}/login-link`, { cookie }),
    listPersonCreations: (cookie) => ask('GET', `/users/${personOf(cookie)}/creations`, { cookie }),
    removePerson: (cookie) => ask('DELETE', `/users/${personOf(cookie)}`, { cookie }),
    listPersonStores: (cookie) => ask('GET', '/stores', { cookie }),
    switchStore: (cookie) => ask('POST', '/session/store', { cookie: `${cookie}x`, body: { store_id: ana.storeId } }),
    getStoreOptions: (cookie) => ask('GET', '/settings', { cookie }),
    updateStoreOptions: (cookie) => ask('PATCH', '/settings', { cookie, body: { session_idle_hours: 24 } }),
    startPasskey: (cookie) => ask('POST', '/passkeys/options', { cookie, body: { current_password: 'x' } }),
    createPasskey: (cookie) => ask('POST', '/passkeys', { cookie, body: { name: 'X', answer: {} } }),
    renamePasskey: (cookie) => ask('PATCH', `/passkeys/${randomUUID()}`, { cookie, body: { name: 'X' } }),
    removePasskey: (cookie) => ask('DELETE', `/passkeys/${randomUUID()}`, { cookie }),
    createPasskeySession: (cookie) => ask('POST', '/session/passkey', { cookie, body: { answer: {} } }),
    startPasskeySession: (cookie) => ask('POST', '/session/passkey/options', { cookie }),
    getSignInOptions: (cookie) => ask('GET', '/sign-in', { cookie }),
    startOidcSession: (cookie) => ask('POST', '/session/oidc', { cookie }),
    getCredentials: (cookie) => ask('GET', '/credentials', { cookie }),
    setPassword: (cookie) =>
      ask('PUT', '/password', { cookie, body: { current_password: 'x', new_password: 'trinta e nove pratos' } }),
    listAuditLog: (cookie) => ask('GET', `/audit-log?actor_id=${ana.id}`, { cookie }),
    revokeStoreKey: (cookie) => ask('DELETE', `/keys/${keyOf(cookie)}`, { cookie }),
  };

  const newPerson = () => ({ email: `${randomUUID()}@example.com`, name: 'Leo', role: 'manager', seller_id: null });

  /** The person whom this person tries to change: Ana, unless they are in her store, where an owner may. */
  const personOf = (cookie: string): string => (cookie === rui.cookie ? randomUUID() : ana.id);

  /** What an owner sees of all people in their store. */
  const ofTheStore = ['listPeople', 'listAuditLog'];

  /** The key that this person tries to change: one of Ana's store, unless they are in it. */
  const keyOf = (cookie: string): string => (cookie === rui.cookie ? 'unknown12345' : keyId);

  test('every operation for people is tried here', async () => {
    const { paths } = await document('/platform/v1/openapi.json');
    const documented = Object.values<Record<string, { operationId: string }>>(paths).flatMap(
      Object.values<{ operationId: string }>,
    );
    const served = documented.map(({ operationId }) => operationId).filter((name) => name in accountsOperations);
    expect(Object.keys(calls).sort()).toEqual(served.sort());
  });

  test.each(Object.keys(calls))('%s shows and changes nothing of the other person', async (name) => {
    for (const other of ofTheStore.includes(name) ? [bia] : [bia, rui]) {
      const answer = await calls[name]?.(other.cookie);
      for (const secret of [ana.email, ana.name, ana.id, ana.sessionId]) expect(answer?.text).not.toContain(secret);
      if (other !== bia) continue;
      for (const secret of [ana.storeId, keyId, 'Ana’s key']) expect(answer?.text).not.toContain(secret);
    }
    expect((await ask('GET', '/session', { cookie: ana.cookie })).body).toMatchObject({ id: ana.sessionId });
    const { body } = await ask('GET', '/keys', { cookie: ana.cookie });
    const kept = body.data.find(({ id }: { id: string }) => id === keyId);
    expect(kept).toMatchObject({ revoked_at: null, expires_at: null });
  });

  /** How people begin to sign in. */
  const ofEverybody = ['startPasskeySession', 'getSignInOptions', 'startOidcSession'];

  test.each(Object.keys(calls).filter((name) => !ofEverybody.includes(name)))(
    '%s without a session gets 401',
    async (name) => {
      expect((await calls[name]?.(''))?.status).toBe(401);
    },
  );

  test('a cookie is no key of the public API, and a key is no session', async () => {
    const headers = { cookie: ana.cookie };
    expectProblem(await request('GET', '/store', { headers }), 'missing_api_key');
    const { key } = await newStore();
    expectProblem(await ask('GET', '/session', { headers: { 'x-api-key': key } }), 'invalid_session');
  });
});

test('an owner makes a key that works at once, replaces it and revokes it, and sees its secret only once', async () => {
  const { cookie } = ana;
  const body = { name: 'Screen', scopes: ['store:read'], expires_at: null };
  const made = await ask('POST', '/keys', { cookie, body });
  expect([made.status, made.body.key.store_id]).toEqual([201, ana.storeId]);
  const whoAmI = (key: string) => request('GET', '/store', { key });
  expect((await whoAmI(made.body.api_key)).body).toMatchObject({ id: ana.storeId });
  const listed = await ask('GET', '/keys', { cookie });
  expect(listed.body.data[0]).toMatchObject({ id: made.body.key.id, name: 'Screen', scopes: ['store:read'] });
  expect(listed.text).not.toContain(made.body.api_key.split('_').at(-1));

  const rotate = `/keys/${made.body.key.id}/rotate`;
  const rotated = await ask('POST', rotate, { cookie, body: { overlap_seconds: 3600 } });
  expect(rotated.status).toBe(201);
  for (const key of [made.body.api_key, rotated.body.api_key]) expect((await whoAmI(key)).status).toBe(200);
  expect((await ask('DELETE', `/keys/${rotated.body.key.id}`, { cookie })).body.revoked_at).toMatch(/Z$/);
  const refused = await eventually(
    () => whoAmI(rotated.body.api_key),
    ({ status }) => status === 401,
  );
  expectProblem(refused, 'invalid_api_key');
});

test.each(['manager', 'seller'])('a %s can neither see nor change keys', async (role) => {
  const email = `${randomUUID()}@example.com`;
  const seller = role === 'seller' ? ['--seller', randomUUID()] : [];
  const person = ['--email', email, '--name', 'Leo', '--role', role, ...seller];
  const { login_url } = await admin(['user', 'invite', '--store', ana.storeId, ...person]);
  const cookie = cookieOf(await signIn(login_url));
  const body = { name: 'Mine', scopes: ['store:read'], expires_at: null };
  for (const answer of [
    await ask('GET', '/keys', { cookie }),
    await ask('POST', '/keys', { cookie, body }),
    await ask('POST', `/keys/${keyId}/rotate`, { cookie, body: { overlap_seconds: 0 } }),
    await ask('DELETE', `/keys/${keyId}`, { cookie }),
  ]) {
    expect(expectProblem(answer, 'role_required').required_role).toBe('owner');
  }
});

test('a request from another site changes nothing', async () => {
  const elsewhere: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'same-site' },
  ];
  for (const headers of elsewhere) {
    expectProblem(await ask('DELETE', '/session', { cookie: ana.cookie, headers }), 'cross_site_request');
  }
  expect((await ask('GET', '/session', { cookie: ana.cookie })).status).toBe(200);
});

test('a cookie that an attacker planted opens nothing after the person has signed in', async () => {
  const planted = await signedIn(ana.storeId);
  const { login_url } = await admin(['user', 'login-link', '--email', ana.email]);
  const cookie = cookieOf(await signIn(login_url, planted.cookie));
  expect(cookie).not.toBe(planted.cookie);
  expectProblem(await ask('GET', '/session', { cookie: planted.cookie }), 'invalid_session');
});

// A busy machine is late at times. A gateway that lets them in for too long does so each time.
test('a disabled person is refused within 2 s, and their colleague is not', { retry: 4 }, async () => {
  const leaving = await signedIn(rui.storeId);
  const unused = await admin(['user', 'login-link', '--email', leaving.email]);
  const disabled = await admin(['user', 'disable', '--email', leaving.email]);
  expect(disabled).toMatchObject({ ended_sessions: 1 });
  const refused = await eventually(
    () => ask('GET', '/session', { cookie: leaving.cookie }),
    ({ status }) => status === 401,
    2_000,
  );
  expectProblem(refused, 'invalid_session');
  expectProblem(await signIn(unused.login_url), 'invalid_login_link');
  expect((await ask('GET', '/session', { cookie: rui.cookie })).status).toBe(200);
  const listed = await runAdminHere(['user', 'list', '--store', rui.storeId]);
  expect(listed.out).toMatch(new RegExp(`${leaving.email} .*owner +disabled`));
  const enabled = await runAdminHere(['user', 'enable', '--email', leaving.email]);
  expect(enabled.out).toContain(`${leaving.email} is enabled in ${rui.storeId}`);
  const again = await admin(['user', 'login-link', '--email', leaving.email]);
  expect((await signIn(again.login_url)).status).toBe(201);
  const removed = await runAdminHere(['user', 'remove', '--store', rui.storeId, '--email', leaving.email]);
  expect(removed.out).toContain(`${leaving.email} is no longer in ${rui.storeId}`);
});

test('the admin command says what is wrong', async () => {
  const unknown = await runAdminHere(['user', 'login-link', '--email', 'unknown@example.com']);
  expect([unknown.exitCode, unknown.err]).toEqual([1, expect.stringContaining('(user_not_found)')]);
  const person = ['--email', 'x@example.com', '--name', 'X', '--role', 'king'];
  const usage = await runAdminHere(['user', 'invite', '--store', randomUUID(), ...person]);
  expect([usage.exitCode, usage.err]).toEqual([2, expect.stringContaining('--role')]);
});

test('no log has the name, the email address or the token of a person', () => {
  const log = readFileSync(outputFile, 'utf8');
  expect(log).toContain('/platform/v1/session');
  for (const { email, name, cookie } of [ana, rui, bia]) {
    for (const secret of [email, name, cookie.split('_').at(-1) ?? '']) expect(log).not.toContain(secret);
  }
  expect(shown.join('\n')).not.toMatch(/ms_[A-Za-z0-9]{22}_/);
});
