import {
  createLoginLink,
  createPersonSession,
  disableUser,
  endPersonSession,
  getPersonSession,
  inviteUser,
  listPersonSessions,
  listUsers,
  revokePersonSession,
} from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { accountsForFile, publicUrl } from '../../test/accounts.ts';
import { client, createPeople, tokenOf } from '../../test/people.ts';
import { purge } from '../purge.ts';

const accounts = accountsForFile();
const people = createPeople(accounts);

test('a login link opens one session in its store, and is an address of the console', async () => {
  const store = await people.newStore();
  const email = people.newEmail();
  const { login_url, user } = await people.invite(store, email);
  expect(login_url).toMatch(new RegExp(`^${publicUrl}/console/login#ml_[A-Za-z0-9]{22}_[A-Za-z0-9]{43}$`));
  const body = { token: tokenOf(login_url) };
  const { session_token, session } = await people.ask(createPersonSession, { body });
  expect(session).toEqual({
    id: session_token.split('_')[1],
    user: { id: user.id, name: 'Ana', email },
    store: { id: store, name: 'Ótica' },
    role: 'owner',
    seller_id: null,
    created_at: expect.stringMatching(/Z$/),
    expires_at: expect.stringMatching(/Z$/),
  });
  expect(Date.parse(session.expires_at) - Date.parse(session.created_at)).toBeCloseTo(14 * 86_400_000, -4);
  expect(await people.ask(getPersonSession, {}, session_token)).toEqual(session);
  await expect(people.ask(createPersonSession, { body })).rejects.toMatchObject({ code: 'invalid_login_link' });
});

test('of many attempts with one link at once, one opens a session', async () => {
  const { login_url } = await people.invite(await people.newStore(), people.newEmail());
  const body = { token: tokenOf(login_url) };
  const tried = await Promise.allSettled(Array.from({ length: 8 }, () => people.ask(createPersonSession, { body })));
  expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test.each([
  ['an expired link', (id: string) => accounts.adminSql`update login_links set expires_at = now() where id = ${id}`],
  ['a link of another secret', () => undefined],
])('%s opens nothing', async (what, change) => {
  const { login_url } = await people.invite(await people.newStore(), people.newEmail());
  const token = tokenOf(login_url);
  await change(token.split('_')[1] ?? '');
  const tried = what.includes('secret') ? `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}` : token;
  await expect(people.ask(createPersonSession, { body: { token: tried } })).rejects.toMatchObject({
    code: 'invalid_login_link',
  });
});

test('neither a token nor its secret is stored, and an API key or a login link is no session', async () => {
  const { token, link } = await people.signedIn();
  const [row] = await accounts.adminSql`
    select (select string_agg(l::text, ' ') from login_links l) || (select string_agg(s::text, ' ') from sessions s) as text`;
  for (const secret of [token, link]) expect(row?.text).not.toContain(secret.split('_')[2]);
  for (const wrong of [undefined, '', link, `mk_live_abcdefgh_${'a'.repeat(43)}`, `${token.slice(0, -4)}AAAA`]) {
    await expect(people.ask(getPersonSession, {}, wrong)).rejects.toMatchObject({ code: 'invalid_session' });
  }
});

test('a session ends after 12 hours without a request, at its end, and when the person signs out', async () => {
  const changes = [
    (id: string) => accounts.adminSql`update sessions set last_seen_at = now() - interval '12 hours' where id = ${id}`,
    (id: string) => accounts.adminSql`update sessions set expires_at = now() where id = ${id}`,
  ];
  for (const change of changes) {
    const { token, session } = await people.signedIn();
    await change(session.id);
    await expect(people.ask(getPersonSession, {}, token)).rejects.toMatchObject({ code: 'invalid_session' });
  }
  const { token } = await people.signedIn();
  await people.ask(endPersonSession, {}, token);
  await expect(people.ask(getPersonSession, {}, token)).rejects.toMatchObject({ code: 'invalid_session' });
});

test('a request keeps a session alive', async () => {
  const { token, session } = await people.signedIn();
  const age = () => accounts.adminSql`
    update sessions set last_seen_at = now() - interval '11 hours' where id = ${session.id}`;
  await age();
  await people.ask(getPersonSession, {}, token);
  const [row] = await accounts.adminSql`
    select last_seen_at > now() - interval '1 minute' as touched from sessions where id = ${session.id}`;
  expect(row).toEqual({ touched: true });
});

test('a disabled person has no session from then on, and no link of theirs works', async () => {
  const store = await people.newStore();
  const { email, token, userId } = await people.signedIn(store);
  const other = await people.signedIn(store);
  const unused = await accounts.admin(createLoginLink, { body: { email } });
  const disabled = await accounts.admin(disableUser, { body: { email } });
  expect(disabled).toMatchObject({ ended_sessions: 1, users: [{ id: userId, disabled_at: expect.any(String) }] });
  await expect(people.ask(getPersonSession, {}, token)).rejects.toMatchObject({ code: 'invalid_session' });
  const body = { token: tokenOf(unused.login_url) };
  await expect(people.ask(createPersonSession, { body })).rejects.toMatchObject({ code: 'invalid_login_link' });
  expect(await people.ask(getPersonSession, {}, other.token)).toMatchObject({ user: { id: other.userId } });
  // A new invitation does not enable them.
  const again = await people.invite(store, email);
  const tried = people.ask(createPersonSession, { body: { token: tokenOf(again.login_url) } });
  await expect(tried).rejects.toMatchObject({ code: 'invalid_login_link' });
});

test('signing in makes a new token, and the session that the browser had ends', async () => {
  const { store, email, token } = await people.signedIn();
  const { login_url } = await accounts.admin(createLoginLink, { body: { email, store_id: store } });
  const again = await people.ask(createPersonSession, { body: { token: tokenOf(login_url) } }, token);
  expect(again.session_token).not.toBe(token);
  await expect(people.ask(getPersonSession, {}, token)).rejects.toMatchObject({ code: 'invalid_session' });
  expect(await people.ask(getPersonSession, {}, again.session_token)).toMatchObject({ user: { email } });
});

test('a person lists and ends their own sessions, and those of no other person', async () => {
  const mine = await people.signedIn();
  const { login_url } = await accounts.admin(createLoginLink, { body: { email: mine.email } });
  const second = await people.ask(createPersonSession, { body: { token: tokenOf(login_url) } });
  const colleague = await people.signedIn(mine.store);
  const { data } = await people.ask(listPersonSessions, {}, mine.token);
  expect(data.map(({ id, current }) => [id, current])).toEqual([
    [second.session.id, false],
    [mine.session.id, true],
  ]);
  expect(data[0]).toMatchObject({ address: client.address, agent: client.agent });
  const revoke = (sessionId: string) => people.ask(revokePersonSession, { params: { sessionId } }, mine.token);
  await revoke(second.session.id);
  await expect(people.ask(getPersonSession, {}, second.session_token)).rejects.toMatchObject({
    code: 'invalid_session',
  });
  for (const id of [colleague.session.id, second.session.id, 'unknown12345']) {
    await expect(revoke(id)).rejects.toMatchObject({ code: 'user_session_not_found' });
  }
  expect(await people.ask(getPersonSession, {}, colleague.token)).toMatchObject({ id: colleague.session.id });
});

test('a person of two stores is one user; a session and a list show only its own store', async () => {
  const email = people.newEmail();
  const first = await people.signedIn(undefined, email);
  const second = await people.signedIn(undefined, email.toUpperCase());
  expect(second.rowId).toBe(first.rowId);
  expect([first.session.store.id, second.session.store.id]).toEqual([first.store, second.store]);
  const { users } = await accounts.admin(listUsers, { body: { store_id: first.store } });
  expect(users).toMatchObject([{ id: first.userId, store_id: first.store }]);
  await expect(accounts.admin(createLoginLink, { body: { email } })).rejects.toMatchObject({
    code: 'validation_failed',
  });
});

test('an invitation of a person who is in the store changes their role', async () => {
  const { store, email, token } = await people.signedIn();
  await people.invite(store, email, 'manager');
  expect(await people.ask(getPersonSession, {}, token)).toMatchObject({ role: 'manager' });
  const seller = { store_id: store, email, name: 'Ana', role: 'seller' as const };
  await expect(accounts.admin(inviteUser, { body: seller })).rejects.toMatchObject({ code: 'validation_failed' });
});

test.each([
  ['user_not_found', () => accounts.admin(createLoginLink, { body: { email: 'unknown@example.com' } })],
  ['user_not_found', () => accounts.admin(disableUser, { body: { email: 'unknown@example.com' } })],
  ['store_not_found', () => people.invite('0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a', people.newEmail())],
  ['store_not_found', () => accounts.admin(listUsers, { body: { store_id: '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a' } })],
] as const)('what does not exist gets %s', async (code, call) => {
  await expect(call()).rejects.toMatchObject({ code });
});

test('the audit log tells who did what from where, and no role changes or deletes an entry', async () => {
  const { store, userId, token, session, email } = await people.signedIn();
  await people.ask(endPersonSession, {}, token);
  await accounts.admin(disableUser, { body: { email } });
  const operator = { actor_kind: 'operator', actor_id: null, subject_id: userId, address: null };
  const person = { actor_kind: 'user', actor_id: userId, subject_id: session.id, address: client.address };
  expect(await people.auditOf(store)).toEqual([
    { ...operator, action: 'store.created', subject_id: store },
    { ...operator, action: 'user.invited' },
    { ...person, action: 'session.opened' },
    { ...person, action: 'session.ended' },
    { ...operator, action: 'user.disabled' },
  ]);
  for (const role of ['accounts', 'accounts_system']) {
    for (const statement of ["update audit_log set action = 'a.b'", 'delete from audit_log', 'truncate audit_log']) {
      const trying = accounts.as(role, store, (sql) => sql.unsafe(statement));
      await expect(trying, `${role}: ${statement}`).rejects.toThrow('permission denied');
    }
  }
});

test('the role for requests reads no person, no session and no link', async () => {
  const { store } = await people.signedIn();
  for (const table of ['users', 'memberships', 'sessions', 'login_links']) {
    const trying = accounts.as('accounts', store, (sql) => sql`select * from ${sql(table)}`);
    await expect(trying, table).rejects.toThrow('permission denied');
  }
});

test('sessions and links that have been over for 30 days are deleted, and others stay', async () => {
  const [old, young] = [await people.signedIn(), await people.signedIn()];
  await accounts.adminSql`update sessions set expires_at = now() - interval '31 days' where id = ${old.session.id}`;
  await accounts.adminSql`
    update login_links set expires_at = now() - interval '31 days' where user_id = ${old.rowId}`;
  await purge(accounts.systemDatabase);
  const left = async (table: string, rowId: string) =>
    (await accounts.adminSql`select 1 from ${accounts.adminSql(table)} where user_id = ${rowId}`).length;
  for (const table of ['sessions', 'login_links']) {
    expect([await left(table, old.rowId), await left(table, young.rowId)], table).toEqual([0, 1]);
  }
});
