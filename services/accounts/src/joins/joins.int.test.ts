import {
  createPasskey,
  createPasskeySession,
  getCredentials,
  getPersonSession,
  joinStore,
  listPersonStores,
  setPassword,
  startJoin,
  startPasskey,
  startPasskeySession,
} from '@mostrador/contracts';
import { describe, expect, test } from 'vitest';
import { accountsForFile, publicUrl } from '../../test/accounts.ts';
import { createAuthenticator } from '../../test/authenticator.ts';
import { client, createPeople, password, tokenOf } from '../../test/people.ts';

const accounts = accountsForFile();
const people = createPeople(accounts);

type Phone = ReturnType<typeof createAuthenticator>;
const newPhone = () => createAuthenticator({ rpId: 'api.example.com', origin: publicUrl });
const next = 'azul de metileno e sal';

async function addPasskey(token: string, phone: Phone, current?: string): Promise<void> {
  const { options } = await people.ask(startPasskey, { body: { current_password: current } }, token);
  await people.ask(createPasskey, { body: { name: 'Phone', answer: phone.create(options) } }, token);
}
async function signInWith(phone: Phone) {
  const { options } = await people.ask(startPasskeySession, {});
  return await people.ask(createPasskeySession, { body: { answer: phone.answer(options) } });
}
const joinWith = async (token: string, phone: Phone) => {
  const { options } = await people.ask(startJoin, {}, token);
  return await people.ask(joinStore, { body: { answer: phone.answer(options) } }, token);
};
const storesOf = async ({ session_token }: { session_token: string }) =>
  (await people.ask(listPersonStores, { query: {} }, session_token)).data.map(({ id }) => id).toSorted();

/** A person with a password and a passkey in `first`, whom `second` invited: a session there, of a link. */
async function invited() {
  const email = people.newEmail();
  const first = await people.signedIn(undefined, email);
  await people.setPassword(first.token);
  const phone = newPhone();
  await addPasskey(first.token, phone);
  const second = await people.newStore();
  const { login_url } = await people.invite(second, email);
  const { session_token: token } = await people.open(tokenOf(login_url));
  return { email, phone, rowId: first.rowId, first: first.store, second, token };
}
type Invited = Awaited<ReturnType<typeof invited>>;

describe('a store is joined', () => {
  test('by the password, given in this step, and the audit log of the store says so; the passkey stays outside', async () => {
    const { email, phone, rowId, first, second, token } = await invited();
    expect(await people.ask(getCredentials, {}, token)).toMatchObject({ may_join: true });
    const joined = await people.join(token);
    expect(joined.session.store.id).toBe(second);
    expect(await storesOf(joined)).toEqual([first, second].toSorted());
    expect(await storesOf(await people.signIn(email, password))).toEqual([first, second].toSorted());
    expect(await storesOf(await signInWith(phone))).toEqual([first]);
    const rows = await accounts.adminSql`
      select actor_id, subject_id, details, address from audit_log
      where store_id = ${second} and action = 'store.joined'`;
    const entry = { actor_id: rowId, subject_id: rowId, address: client.address };
    expect(rows).toEqual([{ ...entry, details: { proof: 'password' } }]);
    // What a person has in a store is not shown in another.
    expect((await people.auditOf(first)).map(({ action }) => action)).not.toContain('store.joined');
  });

  test('by a passkey, which signs in this step; the password stays outside', async () => {
    const { email, phone, first, second, token } = await invited();
    const joined = await joinWith(token, phone);
    expect(await storesOf(joined)).toEqual([first, second].toSorted());
    expect(await storesOf(await signInWith(phone))).toEqual([first, second].toSorted());
    expect(await storesOf(await people.signIn(email, password))).toEqual([first]);
  });

  test('in a session that goes on under a new token', async () => {
    const { token } = await invited();
    const { session_token } = await people.join(token);
    await expect(people.ask(getPersonSession, {}, token)).rejects.toMatchObject({ code: 'invalid_session' });
    await people.ask(getPersonSession, {}, session_token);
  });

  test('once: then nothing is left to join', async () => {
    const { token, phone } = await invited();
    const { session_token } = await people.join(token);
    const { session_token: both } = await joinWith(session_token, phone);
    expect(await people.ask(getCredentials, {}, both)).toMatchObject({ may_join: false });
  });
});

describe('a store is not joined', () => {
  const ways: readonly (readonly [string, (at: Invited) => Promise<unknown>, string | null])[] = [
    ['a wrong password', ({ token }) => people.join(token, 'not this one'), 'wrong_password'],
    ['no session', () => people.join(undefined), 'invalid_session'],
    ['nothing', ({ token }) => people.ask(joinStore, { body: {} as { password: string } }, token), 'validation_failed'],
    [
      'the passkey of another person',
      async ({ token }) => joinWith(token, (await invited()).phone),
      'invalid_credentials',
    ],
    [
      'what a passkey signed to sign in',
      async ({ token, phone }) => {
        const { options } = await people.ask(startPasskeySession, {});
        return await people.ask(joinStore, { body: { answer: phone.answer(options) } }, token);
      },
      'invalid_credentials',
    ],
    [
      'what a passkey signed for another session',
      async ({ token, phone }) => {
        const { options } = await people.ask(startJoin, {}, (await people.signedIn()).token);
        return await people.ask(joinStore, { body: { answer: phone.answer(options) } }, token);
      },
      'invalid_credentials',
    ],
    ['a change of the password', ({ token }) => people.setPassword(token, password, password), null],
    ['a new passkey', ({ token }) => addPasskey(token, newPhone(), password), null],
    [
      'another link, opened by a browser that is signed in',
      async ({ email, second }) => {
        const { session_token } = await people.signIn(email, password);
        return await people.open(tokenOf((await people.invite(second, email)).login_url), session_token);
      },
      null,
    ],
  ];

  test.each(ways)('by %s', async (_what, act, code) => {
    const at = await invited();
    if (code === null) await act(at);
    else await expect(act(at)).rejects.toMatchObject({ code });
    expect(await storesOf(await people.signIn(at.email, password))).toEqual([at.first]);
    expect(await storesOf(await signInWith(at.phone))).toEqual([at.first]);
    expect((await people.auditOf(at.second)).map(({ action }) => action)).not.toContain('store.joined');
  });
});

describe('a passkey that the owner of another store made for the person', () => {
  /** The owner of `first` kept a passkey of the person, who joined `second` with the password. */
  async function planted() {
    const at = await invited();
    await people.join(at.token);
    return { ...at, owner: await signInWith(at.phone) };
  }

  test('opens no store that the password joins, and makes nothing that does', async () => {
    const { email, first, owner } = await planted();
    expect(await storesOf(owner)).toEqual([first]);
    const phone = newPhone();
    await addPasskey(owner.session_token, phone);
    expect(await storesOf(await signInWith(phone))).toEqual([first]);
    const replaced = people.ask(setPassword, { body: { new_password: next } }, owner.session_token);
    await expect(replaced).rejects.toMatchObject({ code: 'proof_required' });
    await people.signIn(email, password);
  });

  test('sees, renames and removes no passkey that opens the other store', async () => {
    const { email, owner } = await planted();
    const { session_token } = await people.signIn(email, password);
    const mine = newPhone();
    await addPasskey(session_token, mine);
    const { passkeys } = await people.ask(getCredentials, {}, owner.session_token);
    expect(passkeys).toHaveLength(1);
    expect((await people.ask(getCredentials, {}, session_token)).passkeys).toHaveLength(2);
    await signInWith(mine);
  });
});

test('a passkey that the password proved opens what the password opens, also when the session is of a link', async () => {
  const { first, token } = await invited();
  const phone = newPhone();
  await addPasskey(token, phone, password);
  expect(await storesOf(await signInWith(phone))).toEqual([first]);
});
