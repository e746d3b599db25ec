import {
  createLoginLink,
  createPasskey,
  createPasskeySession,
  createPersonLink,
  disableUser,
  enableUser,
  getPersonSession,
  invitePerson,
  listPersonStores,
  removePerson,
  removeUser,
  startPasskey,
  startPasskeySession,
  switchStore,
  updatePerson,
} from '@mostrador/contracts';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publicUrl } from '../../test/accounts.ts';
import { createAuthenticator } from '../../test/authenticator.ts';
import { startWithProvider, type WithProvider } from '../../test/openid.ts';
import { password, tokenOf } from '../../test/people.ts';

// S6: `disable` left links, the password, passkeys and the account at the provider, and `enable` brought them back. A link
// left the other links of its person.

let here: WithProvider;
let people: WithProvider['people'];

beforeAll(async () => {
  here = await startWithProvider();
  people = here.people;
});
afterAll(() => here?.stop());

const party = { rpId: 'api.example.com', origin: publicUrl };
const next = 'azul de metileno e sal';

/** An owner of a store, and a person of it who has every way in, in two stores. */
async function stage() {
  const owner = await people.signedIn();
  const { store, token: ofOwner } = owner;
  const email = people.newEmail();
  const { login_url: first, user } = await people.invite(store, email, 'manager');
  const { session_token: token } = await people.open(tokenOf(first));
  await people.setPassword(token);
  const phone = createAuthenticator(party);
  const { options } = await people.ask(startPasskey, { body: {} }, token);
  await people.ask(createPasskey, { body: { name: 'Phone', answer: phone.create(options) } }, token);
  const account = await here.enter(email);
  // The other store has a password of its own kind: the person joined it.
  const other = await people.newStore();
  const { session_token: there } = await people.open(tokenOf((await people.invite(other, email)).login_url));
  const joined = await people.join(there);
  const params = { userId: user.id };
  const newLink = async () => tokenOf((await people.ask(createPersonLink, { params }, ofOwner)).login_url);
  const links = [await newLink(), await newLink()];
  const linkElsewhere = tokenOf(
    (await here.accounts.admin(createLoginLink, { body: { email, store_id: other } })).login_url,
  );
  return {
    ...{ store, other, email, params, ofOwner, links, linkElsewhere, token, account: account.session_token, phone },
    sessionElsewhere: joined.session_token,
    newLink,
  };
}
type Stage = Awaited<ReturnType<typeof stage>>;

const opens = async (trying: Promise<unknown>): Promise<boolean> =>
  trying.then(
    () => true,
    () => false,
  );
const isOpen = (token: string) => opens(people.ask(getPersonSession, {}, token));
/** The stores that a session reaches which is opened so; none when it is not opened. */
const storesOf = async (trying: Promise<{ session_token: string }>): Promise<string[]> => {
  const opened = await trying.catch(() => null);
  if (opened === null) return [];
  return (await people.ask(listPersonStores, { query: {} }, opened.session_token)).data.map(({ id }) => id);
};
const signInWith = async ({ phone }: Stage) => {
  const { options } = await people.ask(startPasskeySession, {});
  return await people.ask(createPasskeySession, { body: { answer: phone.answer(options) } });
};

/** Each way in: whether it is open, or which stores it opens. A link is used by the question, so it is asked last. */
async function waysIn(at: Stage, secret = password) {
  const named = async (trying: Promise<{ session_token: string }>) => {
    const stores = await storesOf(trying);
    return [...(stores.includes(at.store) ? ['store'] : []), ...(stores.includes(at.other) ? ['other'] : [])].join(' ');
  };
  const found = {
    session: await isOpen(at.token),
    'session of the account': await isOpen(at.account),
    'session elsewhere': await isOpen(at.sessionElsewhere),
    password: await named(people.signIn(at.email, secret)),
    passkey: await named(signInWith(at)),
    account: await named(here.enter(at.email)),
    'link elsewhere': await named(people.open(at.linkElsewhere)),
    link: await named(people.open(at.links[0] ?? '')),
    'second link': false,
  };
  found['second link'] = await opens(people.open(at.links[1] ?? ''));
  return found;
}
type Ways = Awaited<ReturnType<typeof waysIn>>;

const all: Ways = {
  ...{ session: true, 'session of the account': true, 'session elsewhere': true },
  ...{ password: 'store other', passkey: 'store', account: 'store other', link: 'store' },
  // It is one of the operator.
  'link elsewhere': 'store other',
  // Using the first one ended it.
  'second link': false,
};
const none: Ways = {
  ...{ session: false, 'session of the account': false, 'session elsewhere': false },
  ...{ password: '', passkey: '', account: '', link: '', 'link elsewhere': '', 'second link': false },
};
/** Only what opens the other store. The passkey never opened it. */
const elsewhere: Ways = {
  ...none,
  ...{ 'session elsewhere': true, password: 'other', account: 'other', 'link elsewhere': 'other' },
};

const admin = (email: string) => ({
  disable: () => here.accounts.admin(disableUser, { body: { email } }),
  enable: () => here.accounts.admin(enableUser, { body: { email } }),
});

const actions: readonly (readonly [string, (at: Stage) => Promise<unknown>, Ways])[] = [
  ['nothing', async () => {}, all],
  ['disabling', ({ email }) => admin(email).disable(), none],
  [
    'disabling and enabling',
    async ({ email }) => {
      await admin(email).disable();
      await admin(email).enable();
    },
    none,
  ],
  ['enabling a person who is not disabled', ({ email }) => admin(email).enable(), all],
  ['removal by an owner', ({ params, ofOwner }) => people.ask(removePerson, { params, query: {} }, ofOwner), elsewhere],
  [
    'removal by the operator',
    ({ store, email }) => here.accounts.admin(removeUser, { body: { store_id: store, email } }),
    elsewhere,
  ],
  [
    'removal and a new invitation',
    async ({ params, ofOwner, email }) => {
      await people.ask(removePerson, { params, query: {} }, ofOwner);
      const body = { email, name: 'Ana', role: 'manager' as const, seller_id: null };
      await people.ask(invitePerson, { body }, ofOwner);
    },
    // The store invited the address again, which the provider and the operator's link prove.
    { ...elsewhere, account: 'store other', 'link elsewhere': 'store other' },
  ],
  [
    'another role',
    ({ params, ofOwner }) => people.ask(updatePerson, { params, body: { role: 'owner' } }, ofOwner),
    all,
  ],
  ['another role by the operator', ({ store, email }) => people.invite(store, email, 'owner'), all],
];

test.each(actions)('after %s the ways in are these', async (_action, act, left) => {
  const at = await stage();
  await act(at);
  expect(await waysIn(at)).toEqual(left);
});

describe('after a new password the ways in are these:', () => {
  test('with the current one, all sessions and links end that it opens, and passkeys and the account stay', async () => {
    const at = await stage();
    await people.setPassword(at.token, next, password);
    expect(await waysIn(at, next)).toEqual({
      ...all,
      ...{ 'session of the account': false, 'session elsewhere': false, link: '', 'link elsewhere': '' },
    });
    expect(await storesOf(people.signIn(at.email, password))).toEqual([]);
  });

  test('with a link of the operator, which may be the only way left to the person, the passkeys end too', async () => {
    const at = await stage();
    const { login_url } = await here.accounts.admin(createLoginLink, { body: { email: at.email, store_id: at.store } });
    const { session_token: token } = await people.open(tokenOf(login_url));
    await people.setPassword(token, next);
    expect(await waysIn({ ...at, token }, next)).toEqual({
      ...{ ...none, session: true, password: 'store other', account: 'store other' },
    });
  });
});

test('a link that is used ends the other links of its person in that store, and none elsewhere', async () => {
  const at = await stage();
  const colleague = await people.invite(at.store, people.newEmail());
  await people.open(at.links[1] ?? '');
  await expect(people.open(at.links[0] ?? '')).rejects.toMatchObject({ code: 'invalid_login_link' });
  await people.open(tokenOf(colleague.login_url));
  await people.open(at.linkElsewhere);
});

test('a person who was enabled again gets in with a new link, and with the account at the provider after it', async () => {
  const at = await stage();
  await admin(at.email).disable();
  await admin(at.email).enable();
  await expect(here.enter(at.email)).rejects.toMatchObject({ code: 'oidc_refused' });
  await people.setPassword((await people.open(await at.newLink())).session_token, next);
  expect(await storesOf(people.signIn(at.email, next))).toEqual([at.store]);
  expect(await storesOf(here.enter(at.email))).toEqual([at.store]);
});

test('an invitation again is as good as a link for a person who has only the account', async () => {
  const at = await stage();
  await admin(at.email).disable();
  await admin(at.email).enable();
  await people.invite(at.store, at.email, 'manager');
  expect(await storesOf(here.enter(at.email))).toEqual([at.store]);
});

test('a person who left their last store has no password, no passkey and no account when they are invited again', async () => {
  const { owner, email, userId, rowId } = await alone();
  await people.ask(removePerson, { params: { userId }, query: {} }, owner);
  for (const table of ['passwords', 'passkeys', 'oidc_identities', 'credential_stores']) {
    const rows = await here.accounts.adminSql`
      select 1 from ${here.accounts.adminSql(table)} where user_id = ${rowId}`;
    expect(rows, table).toHaveLength(0);
  }
  await expect(people.signIn(email, password)).rejects.toMatchObject({ code: 'invalid_credentials' });
});

test('no link is made for a disabled person, and an invitation meanwhile opens nothing after they are enabled', async () => {
  const { email, store } = await alone();
  await admin(email).disable();
  await expect(here.accounts.admin(createLoginLink, { body: { email } })).rejects.toMatchObject({
    code: 'user_disabled',
  });
  const { login_url } = await people.invite(store, email);
  await admin(email).enable();
  await expect(people.open(tokenOf(login_url))).rejects.toMatchObject({ code: 'invalid_login_link' });
});

/** A person of one store, and an owner there. */
async function alone() {
  const { store, token: owner } = await people.signedIn();
  const email = people.newEmail();
  const person = await people.signedIn(store, email, 'manager');
  await people.setPassword(person.token);
  await here.enter(email);
  const { login_url } = await people.ask(createPersonLink, { params: { userId: person.userId } }, owner);
  return { ...person, owner, link: tokenOf(login_url) };
}

test.each<[string, (at: Awaited<ReturnType<typeof alone>>) => Promise<unknown>]>([
  ['a new password', ({ token }) => people.setPassword(token, next, password)],
  ['a sign-in', ({ email }) => people.signIn(email, password)],
  ['a sign-in with the account at the provider', ({ email }) => here.enter(email)],
  ['a link of the owner', ({ owner, userId }) => people.ask(createPersonLink, { params: { userId } }, owner)],
  ['a link that is opened', ({ link }) => people.open(link)],
  ['a change of the store', ({ token, store }) => people.ask(switchStore, { body: { store_id: store } }, token)],
])('%s that is under way when the person is disabled leaves no way in', async (_what, act) => {
  const at = await alone();
  let acting: Promise<unknown> = Promise.resolve();
  await here.accounts.adminSql.begin(async (sql) => {
    // As `disable` does first, while the other request has read that the person is enabled.
    await sql`update users set disabled_at = now() where id = ${at.rowId}`;
    acting = act(at).catch(() => {});
    const waits = async () => (await sql`select 1 from pg_locks where not granted`).length > 0;
    await waitFor(waits, { description: 'it waits for the person' });
    await sql`update sessions set ended_at = now() where user_id = ${at.rowId}`;
    await sql`delete from login_links where user_id = ${at.rowId}`;
    await sql`delete from passwords where user_id = ${at.rowId}`;
  });
  await acting;
  await here.accounts.adminSql`update users set disabled_at = null where id = ${at.rowId}`;
  const left = await here.accounts.adminSql`
    select 'session' as way from sessions where user_id = ${at.rowId} and ended_at is null
    union all select 'password' from passwords where user_id = ${at.rowId}
    union all select 'link' from login_links where user_id = ${at.rowId} and used_at is null`;
  expect(left).toEqual([]);
});
