import {
  createPasskey,
  createPasskeySession,
  disableUser,
  getCredentials,
  getPersonSession,
  removePasskey,
  renamePasskey,
  startPasskey,
  startPasskeySession,
} from '@mostrador/contracts';
import { describe, expect, test } from 'vitest';
import { accountsForFile, publicUrl } from '../../test/accounts.ts';
import { createAuthenticator } from '../../test/authenticator.ts';
import { client, createPeople, password, tokenOf } from '../../test/people.ts';
import { purge } from '../purge.ts';

const accounts = accountsForFile();
const people = createPeople(accounts);

const party = { rpId: 'api.example.com', origin: publicUrl };
type Phone = ReturnType<typeof createAuthenticator>;

const start = async (token?: string, current?: string) =>
  (await people.ask(startPasskey, { body: { current_password: current } }, token)).options;
const finish = (token: string | undefined, answer: Record<string, unknown>, name = 'Phone') =>
  people.ask(createPasskey, { body: { name, answer } }, token);
const add = async (token: string, phone: Phone, current?: string) =>
  finish(token, phone.create(await start(token, current)));
const challenge = async () => (await people.ask(startPasskeySession, {})).options;
const answerWith = (answer: Record<string, unknown>, session?: string) =>
  people.ask(createPasskeySession, { body: { answer } }, session);
const signIn = async (phone: Phone, session?: string) => answerWith(phone.answer(await challenge()), session);
const passkeysOf = async (token: string) => (await people.ask(getCredentials, {}, token)).passkeys;
const rejected = { code: 'passkey_rejected' };
const failed = { code: 'invalid_credentials' };

/** A person with a passkey, made with their first link. */
async function withPasskey(storeId?: string) {
  const person = await people.signedIn(storeId);
  const phone = createAuthenticator(party);
  const passkey = await add(person.token, phone);
  return { ...person, phone, passkey };
}

test('a person makes a passkey with a new link, and signs in with it, without an address', async () => {
  const { token, store, userId, phone, passkey } = await withPasskey();
  expect(passkey).toEqual({
    ...{ id: passkey.id, name: 'Phone', last_used_at: null, synced: false },
    created_at: expect.stringMatching(/Z$/),
  });
  const { session, session_token } = await signIn(phone);
  expect(session).toMatchObject({ user: { id: userId }, store: { id: store } });
  expect(await passkeysOf(session_token)).toEqual([{ ...passkey, last_used_at: expect.stringMatching(/Z$/) }]);
  expect(await people.ask(getPersonSession, {}, token)).toMatchObject({ user: { id: userId } });
  const entry = { actor_kind: 'user', actor_id: userId, action: 'passkey.created', subject_id: passkey.id };
  expect(await people.auditOf(store)).toContainEqual({ ...entry, address: client.address });
});

test('the browser is asked for a passkey that it keeps and unlocks, for this host, and not for one that is there', async () => {
  const { token, phone } = await withPasskey();
  await people.setPassword((await signIn(phone, token)).session_token);
  const { session_token } = await signIn(phone);
  const options = await start(session_token);
  expect(options).toMatchObject({
    rp: { id: 'api.example.com', name: 'Mostrador' },
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: [{ id: phone.id, transports: ['internal', 'hybrid'] }],
    attestation: 'none',
  });
  expect(await challenge()).toMatchObject({ rpId: 'api.example.com', userVerification: 'required' });
});

test('a passkey sets a password without the current one, and a password makes a passkey', async () => {
  const { phone, email } = await withPasskey();
  const first = await signIn(phone);
  await people.setPassword(first.session_token);
  const second = await people.signIn(email, password);
  await add(second.session_token, createAuthenticator(party));
  expect(await passkeysOf(second.session_token)).toHaveLength(2);
});

test('a new password ends the other sessions and keeps the passkeys', async () => {
  const { phone } = await withPasskey();
  const [one, two] = [await signIn(phone), await signIn(phone)];
  await people.setPassword(one.session_token);
  await expect(people.ask(getPersonSession, {}, two.session_token)).rejects.toMatchObject({ code: 'invalid_session' });
  await signIn(phone);
});

test('a password that a link set without the current one removes the passkeys', async () => {
  const { phone, email, store } = await withPasskey();
  const { login_url } = await people.invite(store, email);
  const { session_token } = await people.open(tokenOf(login_url));
  await people.setPassword(session_token);
  await expect(signIn(phone)).rejects.toMatchObject(failed);
});

describe('a passkey needs a proof', () => {
  test('a link is enough only as long as there is no other way to sign in', async () => {
    const one = await withPasskey();
    const again = async ({ store, email }: { store: string; email: string }) =>
      (await people.open(tokenOf((await people.invite(store, email)).login_url))).session_token;
    await expect(start(await again(one))).rejects.toMatchObject({ code: 'proof_required' });
    const other = await people.signedIn();
    await people.setPassword(other.token);
    const token = await again(other);
    await expect(start(token)).rejects.toMatchObject({ code: 'proof_required' });
    await expect(start(token, 'wrong')).rejects.toMatchObject({ code: 'wrong_password' });
    await add(token, createAuthenticator(party), password);
  });

  test('what a person set in the session proves who they are: neither the passkey nor the password is lost', async () => {
    const { token, email, phone } = await withPasskey();
    await people.setPassword(token);
    await signIn(phone);
    await people.signIn(email, password);
    const other = await people.signedIn();
    await people.setPassword(other.token);
    await add(other.token, createAuthenticator(party));
    const change = people.setPassword(other.token, 'azul de metileno');
    expect(await passkeysOf(other.token)).toHaveLength(1);
    await change;
  });

  test('a session of more than 15 minutes is not enough', async () => {
    const { phone } = await withPasskey();
    const { session, session_token } = await signIn(phone);
    await accounts.adminSql`
      update sessions set signed_in_at = now() - interval '15 minutes' where id = ${session.id}`;
    await expect(start(session_token)).rejects.toMatchObject({ code: 'proof_required' });
  });

  test('a link gets no passkey into a store that the person joined after it asked', async () => {
    const email = people.newEmail();
    const trap = await people.signedIn(undefined, email);
    const options = await start(trap.token);
    const real = await people.signedIn(undefined, email);
    await people.setPassword(real.token);
    // The password ended the other sessions: the owner opens another link, and even the session from before.
    await accounts.adminSql`update sessions set ended_at = null where id = ${trap.session.id}`;
    const late = finish(trap.token, createAuthenticator(party).create(options));
    await expect(late).rejects.toMatchObject({ code: 'proof_required' });
  });
});

test('an owner with a link of their store neither sees nor changes the passkeys of a person of two stores', async () => {
  const { email, passkey, phone } = await withPasskey();
  const trap = await people.newStore();
  const { session_token } = await people.open(tokenOf((await people.invite(trap, email)).login_url));
  expect(await passkeysOf(session_token)).toEqual([]);
  const params = { passkeyId: passkey.id };
  for (const tried of [
    () => people.ask(removePasskey, { params }, session_token),
    () => people.ask(renamePasskey, { params, body: { name: 'X' } }, session_token),
  ]) {
    await expect(tried()).rejects.toMatchObject({ code: 'passkey_not_found' });
  }
  await signIn(phone);
});

describe('a challenge', () => {
  test('works once', async () => {
    const { phone } = await withPasskey();
    const options = await challenge();
    await answerWith(phone.answer(options));
    await expect(answerWith(phone.answer(options))).rejects.toMatchObject(failed);
  });

  test('of an attempt that failed does not work again', async () => {
    const { phone } = await withPasskey();
    const options = await challenge();
    const wrong = phone.answer(options);
    (wrong.response as { signature: string }).signature = 'AAAA';
    await expect(answerWith(wrong)).rejects.toMatchObject(failed);
    await expect(answerWith(phone.answer(options))).rejects.toMatchObject(failed);
  });

  test('works for 5 minutes, and is purged after them', async () => {
    const { phone } = await withPasskey();
    const options = await challenge();
    await accounts.adminSql`update passkey_challenges set expires_at = now()`;
    await expect(answerWith(phone.answer(options))).rejects.toMatchObject(failed);
    await purge(accounts.systemDatabase);
    expect(await accounts.adminSql`select 1 from passkey_challenges`).toHaveLength(0);
  });

  test('of one session makes no passkey in another, and one of a sign-in makes none at all', async () => {
    const [ana, rui] = [await people.signedIn(), await people.signedIn()];
    const phone = createAuthenticator(party);
    await expect(finish(rui.token, phone.create(await start(ana.token)))).rejects.toMatchObject(rejected);
    const options = { ...(await challenge()), user: { id: 'eA' } };
    await expect(finish(ana.token, phone.create(options))).rejects.toMatchObject(rejected);
  });

  test('of a new passkey opens no session', async () => {
    const { phone } = await withPasskey();
    const { session_token } = await signIn(phone);
    const options = await start(session_token);
    await expect(answerWith(phone.answer(options))).rejects.toMatchObject(failed);
  });
});

describe('signing in fails', () => {
  test('for an answer to another site, to another host, with another key, and for a copy', async () => {
    const { phone } = await withPasskey();
    await signIn(phone);
    const evil = createAuthenticator({ ...party, origin: 'https://api.example.com.evil.example' });
    const other = createAuthenticator(party);
    for (const fake of [evil, other]) {
      const answer = { ...fake.answer(await challenge()), id: phone.id, rawId: phone.id };
      await expect(answerWith(answer)).rejects.toMatchObject(failed);
    }
    phone.rewind(0);
    await expect(signIn(phone)).rejects.toMatchObject(failed);
  });

  test('for a passkey that is unknown, removed, of a disabled person, or of one who left', async () => {
    const unknown = createAuthenticator(party);
    await expect(signIn(unknown)).rejects.toMatchObject(failed);
    const removed = await withPasskey();
    const { session_token } = await signIn(removed.phone);
    await people.ask(removePasskey, { params: { passkeyId: removed.passkey.id } }, session_token);
    const [disabled, left] = [await withPasskey(), await withPasskey()];
    await accounts.admin(disableUser, { body: { email: disabled.email } });
    await accounts.adminSql`delete from memberships where user_id = ${left.rowId}`;
    for (const { phone } of [removed, disabled, left]) await expect(signIn(phone)).rejects.toMatchObject(failed);
  });

  test.each([
    {},
    { id: 7 },
    { id: 'x', response: {} },
    { id: 'x'.repeat(10_000), response: { clientDataJSON: 'e30' } },
  ])('for %j', async (answer) => {
    await expect(answerWith(answer)).rejects.toMatchObject(failed);
  });
});

describe('no passkey is made', () => {
  test.each([{}, { id: 'x' }, { id: 'x', rawId: 'x', type: 'public-key', response: {} }])('of %j', async (answer) => {
    const { token } = await people.signedIn();
    await expect(finish(token, answer)).rejects.toMatchObject(rejected);
  });

  test('for another site, for another host, or without a check of who holds the phone', async () => {
    const { token } = await people.signedIn();
    for (const more of [{ origin: 'https://evil.example' }, { rpId: 'evil.example' }]) {
      const fake = createAuthenticator({ ...party, ...more });
      await expect(finish(token, fake.create(await start(token)))).rejects.toMatchObject(rejected);
    }
    const unlocked = createAuthenticator(party).create(await start(token), { verified: false });
    await expect(finish(token, unlocked)).rejects.toMatchObject(rejected);
  });

  test('of one that a person has already', async () => {
    const { phone } = await withPasskey();
    const other = await people.signedIn();
    await expect(finish(other.token, phone.create(await start(other.token)))).rejects.toMatchObject(rejected);
  });

  test('when there are 20', async () => {
    const { phone, rowId } = await withPasskey();
    await accounts.adminSql`
      insert into passkeys (user_id, credential_id, public_key, counter, transports, synced, name)
      select ${rowId}, ${rowId} || n::text, '', 0, '{}', false, 'x' from generate_series(1, 19) as n`;
    const { session_token } = await signIn(phone);
    await expect(start(session_token)).rejects.toMatchObject({ code: 'passkey_limit' });
  });
});

test('a person renames and removes their own passkeys, and not those of others', async () => {
  const [ana, rui] = [await withPasskey(), await withPasskey()];
  const params = { passkeyId: ana.passkey.id };
  const renamed = await people.ask(renamePasskey, { params, body: { name: 'Laptop' } }, ana.token);
  expect(renamed).toEqual({ ...ana.passkey, name: 'Laptop' });
  for (const [token, code] of [
    [rui.token, 'passkey_not_found'],
    [undefined, 'invalid_session'],
  ] as const) {
    await expect(people.ask(renamePasskey, { params, body: { name: 'X' } }, token)).rejects.toMatchObject({ code });
    await expect(people.ask(removePasskey, { params }, token)).rejects.toMatchObject({ code });
  }
  const nameless = people.ask(renamePasskey, { params, body: { name: ' ' } }, ana.token);
  await expect(nameless).rejects.toMatchObject({ code: 'validation_failed' });
  await people.ask(removePasskey, { params }, ana.token);
  expect(await passkeysOf(ana.token)).toEqual([]);
  const actions = (await people.auditOf(ana.store)).map(({ action }) => action);
  expect(actions).toEqual(expect.arrayContaining(['passkey.renamed', 'passkey.removed']));
});

test('without a session no passkey is made, and the role for requests sees none', async () => {
  await expect(start()).rejects.toMatchObject({ code: 'invalid_session' });
  await expect(finish(undefined, {})).rejects.toMatchObject({ code: 'invalid_session' });
  const { store } = await withPasskey();
  for (const table of ['passkeys', 'passkey_challenges']) {
    const trying = accounts.as('accounts', store, (sql) => sql`select * from ${sql(table)}`);
    await expect(trying, table).rejects.toThrow('permission denied');
  }
});
