import {
  createPersonSession,
  disableUser,
  getCredentials,
  getPersonSession,
  listPersonStores,
  startOidcSession,
  switchStore,
  unlinkUser,
} from '@mostrador/contracts';
import { hashToken } from '@mostrador/kit/tokens/token';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWithProvider, type WithProvider } from '../../test/openid.ts';
import { client, password, tokenOf } from '../../test/people.ts';
import { purge } from '../purge.ts';

let here: WithProvider;
let people: WithProvider['people'];

beforeAll(async () => {
  here = await startWithProvider();
  people = here.people;
});
afterAll(() => here?.stop());

const failed = { code: 'oidc_failed' };
const refused = { code: 'oidc_refused' };

/** A person whom a store has invited, and who has not signed in. */
async function invited(email = people.newEmail()) {
  const store = await people.newStore();
  const { user, login_url } = await people.invite(store, email);
  return { store, email, userId: user.id, rowId: await people.rowIdOf(email), link: tokenOf(login_url) };
}
const storesOf = async (token: string) =>
  (await people.ask(listPersonStores, { query: {} }, token)).data.map(({ id }) => id).toSorted();
const says = (email: string, claims: object) => here.provider.claims.set(email, claims);

test('a person whom a store invited signs in with the verified address of their account', async () => {
  const { store, email, userId } = await invited();
  const { session, session_token } = await here.enter(email);
  expect(session).toMatchObject({ user: { id: userId, email }, store: { id: store }, role: 'owner' });
  expect(await people.ask(getPersonSession, {}, session_token)).toEqual(session);
  const entry = { actor_kind: 'user', actor_id: userId, address: client.address };
  expect(await people.auditOf(store)).toEqual(
    expect.arrayContaining([
      { ...entry, action: 'oidc.linked', subject_id: userId },
      { ...entry, action: 'session.opened', subject_id: session.id },
    ]),
  );
});

test('an address counts in any case', async () => {
  const { userId } = await invited('Caixa@Example.com');
  says('caixa', { email: 'cAIXA@example.com' });
  expect((await here.enter('caixa')).session.user.id).toBe(userId);
});

test('later the account counts and no longer its address, which may change and lose its check', async () => {
  const { email, userId, store } = await invited();
  await here.enter(email);
  for (const claims of [{ email: 'other@example.com' }, { email_verified: false }, { email: undefined }]) {
    says(email, claims);
    expect((await here.enter(email)).session).toMatchObject({ user: { id: userId }, store: { id: store } });
  }
  const links = (await people.auditOf(store)).filter(({ action }) => action === 'oidc.linked');
  expect(links).toHaveLength(1);
});

test('an address that the provider has not verified opens nothing, whether a person has it or not', async () => {
  const { email } = await invited();
  for (const account of [email, 'stranger@example.com']) {
    for (const email_verified of [false, undefined, 'true']) {
      says(account, { email_verified });
      await expect(here.enter(account)).rejects.toMatchObject({ code: 'oidc_email_unverified' });
    }
  }
});

test('an unknown person, a disabled one and one who left get the same words, and no person is created', async () => {
  const [disabled, left, linked] = [await invited(), await invited(), await invited()];
  await here.enter(linked.email);
  for (const { email } of [disabled, linked]) await here.accounts.admin(disableUser, { body: { email } });
  await here.accounts.adminSql`delete from memberships where user_id = ${left.rowId}`;
  const before = await here.accounts.adminSql`select count(*)::int as people from users`;
  const answers: unknown[] = [];
  for (const email of ['nobody@example.com', disabled.email, left.email, linked.email]) {
    answers.push(await here.enter(email).catch(({ code, detail, members }) => ({ code, detail, members })));
  }
  expect(answers).toEqual(answers.map(() => ({ ...(answers[0] as object), code: 'oidc_refused' })));
  expect(await here.accounts.adminSql`select count(*)::int as people from users`).toEqual(before);
});

test('two first sign-ins at once link one account', async () => {
  const { email, userId } = await invited();
  const visits = await Promise.all([here.visit(email), here.visit(email)]);
  const opened = await Promise.all(visits.map((visit) => here.finish(visit)));
  expect(opened.map(({ session }) => session.user.id)).toEqual([userId, userId]);
});

test('the session that the browser had ends, and the new one has a new token', async () => {
  const { email, link } = await invited();
  const planted = (await people.open(link)).session_token;
  const { session_token } = await here.enter(email, planted);
  expect(session_token).not.toBe(planted);
  await expect(people.ask(getPersonSession, {}, planted)).rejects.toMatchObject({ code: 'invalid_session' });
});

describe('an attempt', () => {
  test('works once', async () => {
    const { email } = await invited();
    const visit = await here.visit(email);
    await here.finish(visit);
    await expect(here.finish(visit)).rejects.toMatchObject(failed);
    const again = await here.visit(email);
    await expect(here.finish({ attempt: again.attempt, answer: visit.answer })).rejects.toMatchObject(failed);
    await expect(here.finish(again)).rejects.toMatchObject(failed);
  });

  test('works in the browser that began it, and in no other', async () => {
    const [ana, rui] = [await invited(), await invited()];
    const [mine, theirs] = [await here.visit(ana.email), await here.visit(rui.email)];
    for (const attempt of [theirs.attempt, '', 'mo_x', 'x'.repeat(200)]) {
      await expect(here.finish({ attempt, answer: mine.answer })).rejects.toMatchObject(failed);
    }
  });

  test('works for 10 minutes, and is purged after them', async () => {
    const { email } = await invited();
    const visit = await here.visit(email);
    const lasts = await here.accounts.adminSql`
      select extract(epoch from expires_at - now())::int as seconds from oidc_attempts
      where token_hash = ${hashToken(visit.attempt)}`;
    expect(lasts[0]?.seconds).toBeLessThanOrEqual(600);
    await here.accounts.adminSql`update oidc_attempts set expires_at = now()`;
    await expect(here.finish(visit)).rejects.toMatchObject(failed);
    await purge(here.accounts.systemDatabase);
    expect(await here.accounts.adminSql`select 1 from oidc_attempts`).toHaveLength(0);
  });

  test('keeps nothing that helps a reader of the database', async () => {
    const visit = await here.visit((await invited()).email);
    const url = new URL((await people.ask(startOidcSession, {})).authorization.url);
    const rows = JSON.stringify(await here.accounts.adminSql`select token_hash::text, expires_at from oidc_attempts`);
    for (const secret of [visit.attempt, url.searchParams.get('state'), url.searchParams.get('nonce')]) {
      expect(rows).not.toContain(secret);
    }
  });

  test.each<[string, (url: URL) => void]>([
    ['another nonce', ({ searchParams }) => searchParams.set('nonce', 'of-another-attempt')],
    ['no nonce', ({ searchParams }) => searchParams.delete('nonce')],
    ['another state', ({ searchParams }) => searchParams.set('state', 'of-another-attempt')],
    ['the code challenge of another', ({ searchParams }) => searchParams.set('code_challenge', 'A'.repeat(43))],
  ])('that reached the provider with %s fails', async (_what, change) => {
    const { email } = await invited();
    const visit = await here.visit(email, (text) => {
      const url = new URL(text);
      change(url);
      return url.href;
    });
    await expect(here.finish(visit)).rejects.toMatchObject(failed);
  });

  test.each<[string, (answer: URLSearchParams) => unknown]>([
    ['names another issuer', (answer) => answer.set('iss', 'https://evil.example')],
    ['names no issuer', (answer) => answer.delete('iss')],
    ['has another code', (answer) => answer.set('code', 'x')],
    ['has two codes', (answer) => answer.append('code', 'x')],
    ['has no state', (answer) => answer.delete('state')],
    ['has neither code nor state', (answer) => ['code', 'state', 'iss'].map((name) => answer.delete(name))],
    ['has an invented error', (answer) => answer.set('error', 'ana@example.com')],
  ])('whose answer %s fails', async (_what, change) => {
    const { attempt, answer } = await here.visit((await invited()).email);
    const changed = new URLSearchParams(answer);
    change(changed);
    await expect(here.finish({ attempt, answer: changed.toString() })).rejects.toMatchObject(failed);
  });

  test('that the person cancels at the provider says so', async () => {
    await expect(here.finish(await here.visit(null))).rejects.toMatchObject({ code: 'oidc_cancelled' });
  });
});

describe('an account opens', () => {
  test('all stores that invited its address, and those that do so later', async () => {
    const email = people.newEmail();
    const [first, second] = [await invited(email), await invited(email)];
    const { session, session_token } = await here.enter(email);
    expect(session.store.id).toBe(first.store);
    expect(await storesOf(session_token)).toEqual([first.store, second.store].toSorted());
    const moved = await people.ask(switchStore, { body: { store_id: second.store } }, session_token);
    expect((await here.enter(email)).session.store.id).toBe(second.store);
    expect(await storesOf(moved.session_token)).toHaveLength(2);
    const third = await invited(email);
    expect(await storesOf(moved.session_token)).not.toContain(third.store);
    expect(await storesOf((await here.enter(email)).session_token)).toContain(third.store);
  });

  test('no store that invites its former address, until the person signs in there again to join it', async () => {
    const { email, store } = await invited();
    await here.enter(email);
    says(email, { email: 'new@example.com' });
    const later = await invited(email);
    const { session_token } = await here.enter(email);
    expect(await storesOf(session_token)).toEqual([store]);
    const { session_token: there } = await people.open(later.link, session_token);
    expect(await storesOf((await here.enter(email)).session_token)).toEqual([store]);
    const joined = await here.finish(await here.visitToJoin(email, there), there);
    expect(joined.session.store.id).toBe(later.store);
    expect(await storesOf(joined.session_token)).toEqual([store, later.store].toSorted());
    const entry = { actor_kind: 'user', action: 'store.joined', address: client.address };
    expect(await people.auditOf(later.store)).toContainEqual(expect.objectContaining(entry));
  });

  test('no store when the provider does not say that the person signed in again', async () => {
    const { email } = await invited();
    await here.enter(email);
    says(email, { email: 'former@example.com' });
    const later = await invited(email);
    const { session_token: there } = await people.open(later.link);
    const visit = await here.visitToJoin(email, there, (text) => {
      const url = new URL(text);
      expect(url.searchParams.get('prompt')).toBe('login');
      for (const name of ['prompt', 'max_age']) url.searchParams.delete(name);
      return url.href;
    });
    await expect(here.finish(visit, there)).rejects.toMatchObject(failed);
  });

  test('no store in another session than the one that asked, and none with the account of another person', async () => {
    const { email } = await invited();
    await here.enter(email);
    says(email, { email: 'former@example.com' });
    const later = await invited(email);
    const { session_token: there } = await people.open(later.link);
    const elsewhere = await here.visitToJoin(email, there);
    const { token: stranger } = await people.signedIn();
    await expect(here.finish(elsewhere, stranger)).rejects.toMatchObject(failed);
    await expect(here.finish(await here.visitToJoin(email, there))).rejects.toMatchObject(failed);
    const other = await invited();
    await here.enter(other.email);
    const asOther = await here.visitToJoin(other.email, there);
    await expect(here.finish(asOther, there)).rejects.toMatchObject(refused);
    await expect(here.enter(email)).resolves.not.toMatchObject({ session: { store: { id: later.store } } });
  });

  test('the store that the person used last, to which no owner can lead them with a link of their own', async () => {
    const { email, store } = await invited();
    await here.enter(email);
    const trap = await invited(email);
    await people.open(trap.link);
    expect((await here.enter(email)).session.store.id).toBe(store);
  });
});

describe('an owner who invites the address of a person of another store', () => {
  /** The owner of `trap` opened the link and set a password before the person signed in. */
  async function trapped() {
    const trap = await invited();
    const { session_token } = await people.open(trap.link);
    await people.setPassword(session_token);
    const real = await invited(trap.email);
    return { trap, real, email: trap.email };
  }
  const signIn = (email: string) => people.ask(createPersonSession, { body: { email, password } });

  test('gets with their password only to their own store, also after the person has signed in', async () => {
    const { trap, real, email } = await trapped();
    const { session_token } = await here.enter(email);
    expect(await storesOf(session_token)).toEqual([trap.store, real.store].toSorted());
    expect(await storesOf((await signIn(email)).session_token)).toEqual([trap.store]);
    const { login_url } = await people.invite(real.store, email);
    await people.open(tokenOf(login_url), session_token);
    expect(await storesOf((await signIn(email)).session_token)).toEqual([trap.store]);
  });

  test('loses the password when the person sets theirs', async () => {
    const { email, real } = await trapped();
    const { session_token } = await here.enter(email);
    await people
      .ask(switchStore, { body: { store_id: real.store } }, session_token)
      .then(({ session_token: token }) => people.setPassword(token, 'azul de metileno'));
    await expect(signIn(email)).rejects.toMatchObject({ code: 'invalid_credentials' });
  });

  test('gets to no other store with a new link', async () => {
    const { trap, email } = await trapped();
    await here.enter(email);
    const { login_url } = await people.invite(trap.store, email);
    expect(await storesOf((await people.open(tokenOf(login_url))).session_token)).toEqual([trap.store]);
  });
});

test('an account whose address is no longer the person’s sets no password that opens stores it does not', async () => {
  const { email } = await invited();
  await here.enter(email);
  says(email, { email: 'new@example.com' });
  const later = await invited(email);
  const { session_token } = await people.open(later.link);
  await people.setPassword(session_token);
  const change = people.setPassword((await here.enter(email)).session_token, 'azul de metileno');
  await expect(change).rejects.toMatchObject({ code: 'proof_required' });
});

test('a second account with the address of a person is refused until the operator has forgotten the first', async () => {
  const { email, store, userId } = await invited();
  const first = await here.enter(email);
  says('second', { email });
  await expect(here.enter('second')).rejects.toMatchObject(refused);
  const unlink = () => here.accounts.admin(unlinkUser, { body: { email } });
  expect(await unlink()).toMatchObject({ users: [{ id: userId }], unlinked: true, ended_sessions: 1 });
  await expect(people.ask(getPersonSession, {}, first.session_token)).rejects.toMatchObject({
    code: 'invalid_session',
  });
  expect((await here.enter('second')).session.user.id).toBe(userId);
  await expect(here.enter(email)).rejects.toMatchObject(refused);
  const actions = (await people.auditOf(store)).map(({ actor_kind, action }) => `${actor_kind} ${action}`);
  expect(actions).toContain('operator oidc.unlinked');
  await unlink();
  expect(await unlink()).toMatchObject({ unlinked: false, ended_sessions: 0 });
  await expect(here.accounts.admin(unlinkUser, { body: { email: 'nobody@example.com' } })).rejects.toMatchObject({
    code: 'user_not_found',
  });
});

test('a person sees their account, and the holder of a link of a store does not', async () => {
  const { email, store } = await invited();
  const { session_token } = await here.enter(email);
  expect((await people.ask(getCredentials, {}, session_token)).oidc).toEqual({
    ...{ name: 'Example', linked_at: expect.stringMatching(/Z$/), last_used_at: expect.stringMatching(/Z$/) },
  });
  const { login_url } = await people.invite(store, email);
  const { session_token: ofLink } = await people.open(tokenOf(login_url));
  expect((await people.ask(getCredentials, {}, ofLink)).oidc).toBeNull();
});

test('the role for requests sees no account and no attempt', async () => {
  const { store } = await invited();
  for (const table of ['oidc_identities', 'oidc_attempts']) {
    const trying = here.accounts.as('accounts', store, (sql) => sql`select * from ${sql(table)}`);
    await expect(trying, table).rejects.toThrow('permission denied');
  }
});
