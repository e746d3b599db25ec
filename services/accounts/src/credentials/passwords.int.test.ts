import { randomUUID } from 'node:crypto';
import {
  createLoginLink,
  createPersonSession,
  disableUser,
  getCredentials,
  getPersonSession,
  listPersonSessions,
  revokePersonSession,
} from '@mostrador/contracts';
import { stoodStillDuring } from '@mostrador/testing/awake';
import { waitFor } from '@mostrador/testing/wait';
import { describe, expect, test } from 'vitest';
import { accountsForFile } from '../../test/accounts.ts';
import { client, createPeople, password, tokenOf } from '../../test/people.ts';
import { purge } from '../purge.ts';

const accounts = accountsForFile();
const people = createPeople(accounts);

const other = 'azul de metileno e sal';
const openLink = async (email: string, storeId: string, by: 'operator' | 'store' = 'store') => {
  const { login_url } = await accounts.admin(createLoginLink, { body: { email, store_id: storeId } });
  const token = tokenOf(login_url);
  await accounts.adminSql`
    update login_links set reach = ${by === 'operator' ? 'all' : 'store'} where id = ${token.split('_')[1] ?? ''}`;
  return await people.open(token);
};
/** A person with a password. */
async function withPassword() {
  const person = await people.signedIn();
  await people.setPassword(person.token, password);
  return person;
}
const makeOld = (sessionId: string) =>
  accounts.adminSql`update sessions set signed_in_at = now() - interval '15 minutes' where id = ${sessionId}`;

test('a person sets a password with a new link, and signs in with it, however they write the address', async () => {
  const { token, email, store, userId } = await people.signedIn();
  expect(await people.ask(getCredentials, {}, token)).toMatchObject({ password: null, needs_current_password: false });
  await people.setPassword(token, password);
  const { session, session_token } = await people.signIn(email.toUpperCase(), password);
  expect(session).toMatchObject({ user: { id: userId }, store: { id: store }, role: 'owner' });
  expect(await people.ask(getCredentials, {}, session_token)).toMatchObject({
    password: { changed_at: expect.stringMatching(/Z$/) },
    needs_current_password: true,
  });
  const entry = { actor_kind: 'user', actor_id: userId, action: 'password.changed', subject_id: userId };
  expect(await people.auditOf(store)).toContainEqual({ ...entry, address: client.address });
});

test('the same password in another form of Unicode is the same password', async () => {
  const { token, email } = await people.signedIn();
  await people.setPassword(token, 'três pratos de trigo'.normalize('NFC'));
  await people.signIn(email, 'três pratos de trigo'.normalize('NFD'));
});

test('only a hash of argon2id with the parameters of OWASP is stored, and two equal passwords have two', async () => {
  const [ana, rui] = [await withPassword(), await withPassword()];
  const rows = await accounts.adminSql`
    select hash from passwords where user_id in (${ana.rowId}, ${rui.rowId})`;
  expect(new Set(rows.map(({ hash }) => hash)).size).toBe(2);
  for (const { hash } of rows) expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
});

test('a new password needs the current one, and ends the other sessions', async () => {
  const { email, token: link } = await withPassword();
  const first = await people.signIn(email, password);
  const second = await people.signIn(email, password);
  await expect(people.setPassword(first.session_token, other)).rejects.toMatchObject({ code: 'proof_required' });
  await expect(people.setPassword(first.session_token, other, 'wrong')).rejects.toMatchObject({
    code: 'wrong_password',
  });
  await people.setPassword(first.session_token, other, password);
  expect(await people.ask(getPersonSession, {}, first.session_token)).toEqual(first.session);
  for (const ended of [second.session_token, link]) {
    await expect(people.ask(getPersonSession, {}, ended)).rejects.toMatchObject({ code: 'invalid_session' });
  }
  await expect(people.signIn(email, password)).rejects.toMatchObject({ code: 'invalid_credentials' });
  await people.signIn(email, other);
});

test('a link sets a password for 15 minutes, and not longer', async () => {
  const { token, session } = await people.signedIn();
  await makeOld(session.id);
  await expect(people.setPassword(token, password)).rejects.toMatchObject({ code: 'proof_required' });
  const again = await withPassword();
  const { session_token } = await openLink(again.email, again.store);
  await people.setPassword(session_token, other);
  await people.signIn(again.email, other);
});

describe('an owner who signs in with a link of a person of two stores', () => {
  /** The person joined `home` with a password, and was invited to `trap`. */
  async function trapped() {
    const { email, store: home } = await withPassword();
    const trap = await people.newStore();
    await people.invite(trap, email);
    return { email, home, trap };
  }

  test('cannot replace the password, nor learn it', async () => {
    const { email, trap } = await trapped();
    const { session_token } = await openLink(email, trap);
    await expect(people.setPassword(session_token, other)).rejects.toMatchObject({
      code: 'proof_required',
      detail: expect.stringContaining('other stores'),
    });
    await expect(people.setPassword(session_token, other, 'guess')).rejects.toMatchObject({ code: 'wrong_password' });
    await people.signIn(email, password);
  });

  test('who set the first password themselves does not get into a store that the person joins later', async () => {
    const email = people.newEmail();
    const victim = await people.signedIn(undefined, email);
    await people.setPassword(victim.token, password);
    const real = await people.newStore();
    await people.open(tokenOf((await people.invite(real, email)).login_url));
    expect((await people.signIn(email, password)).session.store.id).toBe(victim.store);
  });

  test('who set the first password themselves sees and ends no session of the person in another store', async () => {
    const email = people.newEmail();
    const victim = await people.signedIn(undefined, email);
    const trap = await people.signedIn(undefined, email);
    await people.setPassword(trap.token, password);
    const { data } = await people.ask(listPersonSessions, {}, trap.token);
    expect(data.map(({ id }) => id)).toEqual([trap.session.id]);
    const params = { sessionId: victim.session.id };
    await expect(people.ask(revokePersonSession, { params }, trap.token)).rejects.toMatchObject({
      code: 'user_session_not_found',
    });
    expect(await people.ask(getPersonSession, {}, victim.token)).toEqual(victim.session);
  });

  test('while a person who knows the password changes it there, and it opens what it opened before', async () => {
    const { email, home, trap } = await trapped();
    const { session_token } = await openLink(email, trap);
    await people.setPassword(session_token, other, password);
    expect((await people.signIn(email, other)).session.store.id).toBe(home);
  });

  test('and a link of the operator replaces it', async () => {
    const { email, home } = await trapped();
    const { session_token } = await openLink(email, home, 'operator');
    await people.setPassword(session_token, other);
    await people.signIn(email, other);
  });
});

test.each([
  ['short', 'elevenchars'],
  ['long', `${'ab1c'.repeat(50)}x`],
  ['common', 'password1234'],
])('a %s password is rejected, and says so about the new one', async (_what, wrong) => {
  const { token } = await people.signedIn();
  await expect(people.setPassword(token, wrong)).rejects.toMatchObject({
    code: 'validation_failed',
    members: { errors: [{ pointer: '#/new_password', detail: expect.any(String) }] },
  });
});

test('the own address is no password', async () => {
  const { token, email } = await people.signedIn();
  await expect(people.setPassword(token, email)).rejects.toMatchObject({ code: 'validation_failed' });
});

describe('signing in with a password', () => {
  test.each([
    ['a wrong password', (email: string) => people.signIn(email, other)],
    ['an unknown address', () => people.signIn('nobody@example.com', password)],
    ['an empty password', (email: string) => people.signIn(email, '')],
  ])('fails the same for %s', async (_what, signIn) => {
    const { email } = await withPassword();
    await expect(signIn(email)).rejects.toMatchObject({ code: 'invalid_credentials' });
  });

  test('fails the same for a person without a password, a disabled one, and one who left their store', async () => {
    const none = await people.signedIn();
    const [disabled, left] = [await withPassword(), await withPassword()];
    await accounts.admin(disableUser, { body: { email: disabled.email } });
    await accounts.adminSql`delete from memberships where user_id = ${left.rowId}`;
    for (const { email } of [none, disabled, left]) {
      await expect(people.signIn(email, password), email).rejects.toMatchObject({ code: 'invalid_credentials' });
    }
  });

  test.each([{}, { email: 'ana@example.com' }, { password }, { token: 'ml_x', email: 'a@b.c', password }])(
    'or a link needs its members and no others: %j',
    async (body) => {
      await expect(people.ask(createPersonSession, { body })).rejects.toMatchObject({ code: 'validation_failed' });
    },
  );

  test('ends the session that the browser had', async () => {
    const { email, token } = await withPassword();
    const { session_token } = await people.signIn(email, password, token);
    await expect(people.ask(getPersonSession, {}, token)).rejects.toMatchObject({ code: 'invalid_session' });
    expect(await people.ask(getPersonSession, {}, session_token)).toMatchObject({ user: { email } });
  });
});

describe('after 10 wrong passwords in 15 minutes', () => {
  const tenWrong = async (email: string) => {
    for (let tried = 0; tried < 10; tried += 1) {
      await expect(people.signIn(email, other)).rejects.toMatchObject({ code: 'invalid_credentials' });
    }
  };

  test('an account waits, even for the right one, and others do not; a link still opens it', async () => {
    const [ana, rui] = [await withPassword(), await withPassword()];
    await tenWrong(ana.email);
    const refused = { code: 'quota_exceeded', retryAfterSeconds: expect.any(Number) };
    await expect(people.signIn(ana.email, password)).rejects.toMatchObject(refused);
    await expect(people.signIn(ana.email.toUpperCase(), password)).rejects.toMatchObject(refused);
    await people.signIn(rui.email, password);
    const { session_token } = await openLink(ana.email, ana.store);
    await expect(people.setPassword(session_token, other, password)).rejects.toMatchObject(refused);
    await accounts.adminSql`update password_attempts set since = since - interval '15 minutes'`;
    await people.signIn(ana.email, password);
  });

  test('no other way to write the address brings more attempts', async () => {
    const email = `rita-${randomUUID()}@example.com`;
    const { token } = await people.signedIn(undefined, email);
    await people.setPassword(token, password);
    // PostgreSQL makes the same small letter of both.
    const dotted = email.replace('i', 'İ');
    await expect(people.signIn(dotted, password)).rejects.toMatchObject({ code: 'invalid_credentials' });
    await people.signIn(email, password);
  });

  test('an address without an account waits too, so the answer tells nothing', async () => {
    const email = `${randomUUID()}@example.com`;
    await tenWrong(email);
    await expect(people.signIn(email, other)).rejects.toMatchObject({ code: 'quota_exceeded' });
  });

  test('many at the same moment count too', async () => {
    const { email } = await withPassword();
    const tries = await Promise.allSettled(Array.from({ length: 25 }, () => people.signIn(email, other)));
    const codes = tries.map((one) => (one.status === 'rejected' ? one.reason.code : 'signed in'));
    expect(codes.filter((code) => code === 'invalid_credentials')).toHaveLength(10);
    expect(codes.filter((code) => code === 'quota_exceeded')).toHaveLength(15);
  });

  test('a right password forgets the wrong ones, and the purge those that no longer count', async () => {
    const { email } = await withPassword();
    for (let round = 0; round < 2; round += 1) {
      for (let tried = 0; tried < 9; tried += 1) await expect(people.signIn(email, other)).rejects.toThrow();
      await people.signIn(email, password);
    }
    await people.signIn('somebody@example.com', other).catch(() => {});
    await accounts.adminSql`update password_attempts set since = since - interval '15 minutes'`;
    await purge(accounts.systemDatabase);
    expect(await accounts.adminSql`select 1 from password_attempts`).toHaveLength(0);
  });
});

test('without a session no password is read or set, and the role for requests sees none', async () => {
  await expect(people.setPassword(undefined, password)).rejects.toMatchObject({ code: 'invalid_session' });
  await expect(people.ask(getCredentials, {})).rejects.toMatchObject({ code: 'invalid_session' });
  const { store } = await withPassword();
  for (const table of ['passwords', 'password_attempts']) {
    const trying = accounts.as('accounts', store, (sql) => sql`select * from ${sql(table)}`);
    await expect(trying, table).rejects.toThrow('permission denied');
  }
});

test('many passwords at once are all checked, two at a time', async () => {
  const owners = await Promise.all(Array.from({ length: 5 }, () => withPassword()));
  let asked = 0;
  const signIn = (email: string) => {
    asked += 1;
    return people.signIn(email, password);
  };
  let signed: Awaited<ReturnType<typeof people.signIn>>[] = [];
  const stoodStill = await stoodStillDuring(async () => {
    const signingIn = owners.map(({ email }) => waitFor(() => signIn(email), { description: 'a sign-in' }));
    signed = await Promise.all(signingIn);
  });
  // On a machine that stands still, some wait too long and are refused at first.
  if (!stoodStill) expect(asked).toBe(owners.length);
  expect(signed.map(({ session }) => session.user.id)).toEqual(owners.map(({ userId }) => userId));
});

describe('when more passwords come than can be checked', () => {
  test('some wait, the others are refused at once, and none of those counts as wrong', async () => {
    await accounts.adminSql`delete from password_attempts`;
    const email = `${randomUUID()}@example.com`;
    const [quiet, flooded] = [await people.signedIn(), await withPassword()];
    const flood = Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => people.signIn(`${index}-${email}`, other)),
    );
    // Sessions are checked meanwhile, and another account gets its turn.
    await people.ask(getPersonSession, {}, quiet.token);
    const codes = (await flood).map((one) => (one.status === 'rejected' ? one.reason.code : 'signed in'));
    expect(new Set(codes)).toEqual(new Set(['invalid_credentials', 'service_unavailable']));
    const [counted] = await accounts.adminSql<[{ count: number }]>`
      select count(*)::int as count from password_attempts where attempts > 0`;
    expect(counted.count).toBe(codes.filter((code) => code === 'invalid_credentials').length);
    await people.signIn(flooded.email, password);
  });

  test('one account that floods delays only itself', async () => {
    const { email } = await withPassword();
    const flooding = await withPassword();
    const flood = Promise.allSettled(Array.from({ length: 40 }, () => people.signIn(flooding.email, password)));
    await people.signIn(email, password);
    const codes = (await flood).map((one) => (one.status === 'rejected' ? one.reason.code : 'signed in'));
    expect(codes).not.toContain('invalid_credentials');
  });
});
