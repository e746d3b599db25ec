import { randomUUID } from 'node:crypto';
import {
  authorizePerson,
  checkSeller,
  createPersonLink,
  disableUser,
  enableUser,
  getCredentials,
  getLoginLink,
  getPersonSession,
  invitePerson,
  listAuditLog,
  listPeople,
  listPersonSessions,
  removePerson,
  removeUser,
  revokePersonSession,
  startPasskey,
  type UserRole,
  updatePerson,
} from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { beforeAll, describe, expect, test } from 'vitest';
import { accountsForFile, publicUrl } from '../../test/accounts.ts';
import { client, createPeople, tokenOf } from '../../test/people.ts';

const accounts = accountsForFile();
const people = createPeople(accounts);
/** The sellers that crm knows, and whether they are active. */
const sellers = new Map<string, boolean>();
const activeSeller = () => {
  const id = randomUUID();
  sellers.set(id, true);
  return id;
};

beforeAll(async () => {
  await accounts.serve(
    'crm',
    { checkSeller },
    {
      checkSeller: async (_, { body: { seller_id: id } }) => {
        if (!sellers.has(id)) throw new AppError('seller_not_found');
        if (!sellers.get(id)) throw new AppError('seller_inactive');
        return { id };
      },
    },
  );
});

type Invitation = { email: string; name: string; role: UserRole; seller_id: string | null };
const invitation = (more: Partial<Invitation> = {}): Invitation => ({
  ...{ email: people.newEmail(), name: 'Rui', role: 'manager', seller_id: null },
  ...more,
});
const invite = (token: string, more: Partial<Invitation> = {}) =>
  people.ask(invitePerson, { body: invitation(more) }, token);
const list = async (token: string) => (await people.ask(listPeople, {}, token)).data;
const entry = { actor_kind: 'user', address: client.address };

test('an owner invites a person, whose link opens a session in this store, once', async () => {
  const owner = await people.signedIn();
  const seller = activeSeller();
  const email = people.newEmail();
  const made = await invite(owner.token, { email, role: 'seller', seller_id: seller });
  expect(made.user).toEqual({
    ...{ id: made.user.id, email, name: 'Rui', role: 'seller', seller_id: seller },
    ...{ created_at: expect.stringMatching(/Z$/), last_seen_at: null, disabled_at: null },
  });
  expect(made.login_url).toMatch(new RegExp(`^${publicUrl}/console/login#ml_`));
  const { session } = await people.open(tokenOf(made.login_url));
  expect(session).toMatchObject({ store: { id: owner.store }, role: 'seller', seller_id: seller });
  await expect(people.open(tokenOf(made.login_url))).rejects.toMatchObject({ code: 'invalid_login_link' });
  const [first, second] = await list(owner.token);
  expect([first?.id, second]).toEqual([owner.userId, { ...made.user, last_seen_at: expect.stringMatching(/Z$/) }]);
  expect(await people.auditOf(owner.store)).toContainEqual({
    ...{ ...entry, actor_id: owner.userId, action: 'user.invited', subject_id: made.user.id },
  });
});

test('an owner changes the name, the role and the seller of a person, from their next request on', async () => {
  const owner = await people.signedIn();
  const other = await people.signedIn(owner.store, undefined, 'manager');
  const params = { userId: other.userId };
  const seller = activeSeller();
  const change = (body: object) => people.ask(updatePerson, { params, body }, owner.token);
  expect(await change({ role: 'seller', seller_id: seller })).toMatchObject({ role: 'seller', seller_id: seller });
  expect(await people.ask(getPersonSession, {}, other.token)).toMatchObject({ role: 'seller', seller_id: seller });
  expect(await change({ name: 'Rui Lima' })).toMatchObject({ name: 'Rui Lima', role: 'seller', seller_id: seller });
  expect(await change({ role: 'owner', seller_id: null })).toMatchObject({ role: 'owner', seller_id: null });
  const changes = (await people.auditOf(owner.store)).filter(({ action }) => action === 'user.changed');
  const told = { ...entry, actor_id: owner.userId, action: 'user.changed', subject_id: other.userId };
  expect(changes).toEqual([told, told, told]);
});

test('an owner makes a link for a person who lost theirs', async () => {
  const owner = await people.signedIn();
  const other = await people.signedIn(owner.store, undefined, 'manager');
  const made = await people.ask(createPersonLink, { params: { userId: other.userId } }, owner.token);
  const opened = await people.open(tokenOf(made.login_url));
  expect(opened.session).toMatchObject({ user: { id: other.userId }, store: { id: owner.store } });
  await accounts.admin(disableUser, { body: { email: other.email } });
  const refused = people.ask(createPersonLink, { params: { userId: other.userId } }, owner.token);
  await expect(refused).rejects.toMatchObject({ code: 'user_disabled' });
  await accounts.admin(enableUser, { body: { email: other.email } });
  expect((await list(owner.token)).find(({ id }) => id === other.userId)).toMatchObject({ disabled_at: null });
});

test('a removed person has no session and no link in this store, and keeps those in their other one', async () => {
  const owner = await people.signedIn();
  const email = people.newEmail();
  const here = await people.signedIn(owner.store, email, 'manager');
  const elsewhere = await people.signedIn(undefined, email);
  const { login_url } = await people.ask(createPersonLink, { params: { userId: here.userId } }, owner.token);
  await people.ask(removePerson, { params: { userId: here.userId }, query: {} }, owner.token);
  await expect(people.ask(getPersonSession, {}, here.token)).rejects.toMatchObject({ code: 'invalid_session' });
  await expect(people.open(tokenOf(login_url))).rejects.toMatchObject({ code: 'invalid_login_link' });
  expect(await people.ask(getPersonSession, {}, elsewhere.token)).toMatchObject({ user: { email } });
  expect((await list(owner.token)).map(({ id }) => id)).toEqual([owner.userId]);
  const told = { ...entry, actor_id: owner.userId, action: 'user.removed', subject_id: here.userId };
  expect(await people.auditOf(owner.store)).toContainEqual(told);
});

describe('a store always has an owner', () => {
  test('the last one can be neither demoted nor removed', async () => {
    const owner = await people.signedIn();
    await people.signedIn(owner.store, undefined, 'manager');
    const params = { userId: owner.userId };
    const tries = [
      () => people.ask(updatePerson, { params, body: { role: 'manager' } }, owner.token),
      () => people.ask(removePerson, { params, query: {} }, owner.token),
    ];
    for (const tried of tries) await expect(tried()).rejects.toMatchObject({ code: 'last_owner' });
    expect(await people.ask(updatePerson, { params, body: { role: 'owner', name: 'Bia' } }, owner.token)).toMatchObject(
      {
        name: 'Bia',
      },
    );
  });

  test('a disabled owner does not count', async () => {
    const owner = await people.signedIn();
    const other = await people.signedIn(owner.store);
    await accounts.admin(disableUser, { body: { email: other.email } });
    const tried = people.ask(removePerson, { params: { userId: owner.userId }, query: {} }, owner.token);
    await expect(tried).rejects.toMatchObject({ code: 'last_owner' });
    await people.ask(removePerson, { params: { userId: other.userId }, query: {} }, owner.token);
  });

  test('two owners who demote or remove each other at the same moment leave one', async () => {
    const [ana, rui] = await (async () => {
      const first = await people.signedIn();
      return [first, await people.signedIn(first.store)] as const;
    })();
    await Promise.allSettled([
      people.ask(updatePerson, { params: { userId: rui.userId }, body: { role: 'manager' } }, ana.token),
      people.ask(removePerson, { params: { userId: ana.userId }, query: {} }, rui.token),
    ]);
    const [row] = await accounts.adminSql`
      select count(*)::int as owners from memberships where store_id = ${ana.store} and role = 'owner'`;
    expect(row).toEqual({ owners: 1 });
  });

  test('only the operator may remove them, and can invite another', async () => {
    const owner = await people.signedIn();
    await accounts.admin(removeUser, { body: { store_id: owner.store, email: owner.email } });
    await expect(people.ask(getPersonSession, {}, owner.token)).rejects.toMatchObject({ code: 'invalid_session' });
    const again = await people.invite(owner.store, owner.email);
    expect(again.user).toMatchObject({ id: owner.userId, role: 'owner' });
    expect((await people.auditOf(owner.store)).map(({ action }) => action)).toContain('user.removed');
  });
});

test.each([
  ['a person who is in the store', 'user_exists', { email: 'known' }],
  ['the role `seller` without a seller', 'validation_failed', { role: 'seller' }],
  ['a seller whom crm does not know', 'seller_not_found', { seller_id: randomUUID() }],
  ['a seller who is inactive', 'seller_inactive', { seller_id: 'inactive' }],
  ['no email address', 'validation_failed', { email: 'rui' }],
  ['a role that does not exist', 'validation_failed', { role: 'king' }],
  ['no name', 'validation_failed', { name: ' ' }],
])('an invitation of %s gets %s', async (_what, code, more) => {
  const owner = await people.signedIn();
  sellers.set('0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a', false);
  const wrong = { ...more } as Partial<Invitation>;
  if (wrong.email === 'known') wrong.email = owner.email.toUpperCase();
  if (wrong.seller_id === 'inactive') wrong.seller_id = '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a';
  const tried = invite(owner.token, wrong);
  await expect(tried).rejects.toMatchObject({
    code,
    ...(code === 'user_exists' ? { members: { id: owner.userId } } : {}),
  });
  expect(await list(owner.token)).toHaveLength(1);
});

test.each([
  ['validation_failed', {}],
  ['validation_failed', { role: 'seller' }],
  ['validation_failed', { email: 'other@example.com' }],
  ['seller_not_found', { seller_id: randomUUID() }],
])('a change gets %s: %j', async (code, body) => {
  const owner = await people.signedIn();
  const other = await people.signedIn(owner.store, undefined, 'manager');
  const tried = people.ask(updatePerson, { params: { userId: other.userId }, body: body as never }, owner.token);
  await expect(tried).rejects.toMatchObject({ code });
  expect(await people.ask(getPersonSession, {}, other.token)).toMatchObject({ role: 'manager', seller_id: null });
});

/** The operations that need a role, each about a person. */
const calls = (userId: string, token?: string): Record<string, () => Promise<unknown>> => ({
  list: () => people.ask(listPeople, {}, token),
  invite: () => people.ask(invitePerson, { body: invitation() }, token),
  change: () => people.ask(updatePerson, { params: { userId }, body: { name: 'X' } }, token),
  link: () => people.ask(createPersonLink, { params: { userId } }, token),
  remove: () => people.ask(removePerson, { params: { userId }, query: {} }, token),
});

test('a person of another store is not found, and stays as they are', async () => {
  const [owner, stranger] = [await people.signedIn(), await people.signedIn()];
  const { list: _, invite: __, ...about } = calls(stranger.userId, owner.token);
  for (const [what, tried] of Object.entries(about)) {
    await expect(tried(), what).rejects.toMatchObject({ code: 'user_not_found' });
  }
  expect(await people.ask(getPersonSession, {}, stranger.token)).toEqual(stranger.session);
});

test('without an open session nothing is shown or changed', async () => {
  const owner = await people.signedIn();
  for (const [what, tried] of Object.entries(calls(owner.userId))) {
    await expect(tried(), what).rejects.toMatchObject({ code: 'invalid_session' });
  }
});

test('a manager sees the people and changes none, and a seller sees none', async () => {
  const owner = await people.signedIn();
  const manager = await people.signedIn(owner.store, undefined, 'manager');
  const seller = await people.signedIn(owner.store, undefined, 'seller');
  expect(await list(manager.token)).toHaveLength(3);
  const { list: _, ...changes } = calls(owner.userId, manager.token);
  for (const [what, tried] of Object.entries({ ...changes, seller: calls(owner.userId, seller.token).list })) {
    await expect(tried?.(), what).rejects.toMatchObject({ code: 'role_required' });
  }
});

describe('an owner who invites a person of another store', () => {
  test('learns nothing of the other store, not even the name of the person there', async () => {
    const there = await people.signedIn();
    const owner = await people.signedIn();
    const made = await invite(owner.token, { email: there.email, name: 'Guess' });
    expect(made.user).toMatchObject({ name: 'Guess', last_seen_at: null });
    expect(await people.ask(getPersonSession, {}, there.token)).toMatchObject({ user: { name: 'Ana' } });
  });

  test('learns neither an id of theirs, nor how another store wrote the address, nor a time before the invitation', async () => {
    const email = people.newEmail();
    const there = await people.signedIn(undefined, email.toUpperCase());
    await people.setPassword(there.token);
    await accounts.admin(disableUser, { body: { email } });
    await accounts.adminSql`update users set created_at = '2020-01-01', disabled_at = '2020-01-02' where id = ${there.rowId}`;
    const owner = await people.signedIn();
    const made = await invite(owner.token, { email });
    expect(made.user).toMatchObject({ email, disabled_at: made.user.created_at });
    // A UUID of version 7 would say when it was made.
    expect(made.user.id).toMatch(/^.{14}8/);
    const again = await invite(owner.token, { email }).catch(({ members }) => members);
    expect(again).toEqual({ id: made.user.id });

    await accounts.admin(enableUser, { body: { email } });
    await people.setPassword(
      (await people.open(tokenOf((await people.invite(there.store, email)).login_url))).session_token,
    );
    const { login_url } = await people.ask(createPersonLink, { params: { userId: made.user.id } }, owner.token);
    const shown = await people.ask(getLoginLink, { body: { token: tokenOf(login_url) } });
    const opened = await people.open(tokenOf(login_url));
    const token = opened.session_token;
    const answers = {
      ...{ made, again, shown, session: opened.session, list: await list(owner.token) },
      credentials: await people.ask(getCredentials, {}, token),
      caller: await people.ask(authorizePerson, { body: { touch: false } }, token),
      audit: await people.ask(listAuditLog, { query: {} }, owner.token),
    };
    expect(answers.session.user.id).toBe(made.user.id);
    expect(answers.caller.user_id).toBe(made.user.id);
    expect(answers.credentials.password).toEqual({ changed_at: null });
    for (const [what, answer] of Object.entries(answers)) {
      const text = JSON.stringify(answer);
      for (const told of [there.rowId, there.userId, there.store, email.toUpperCase(), '2020-01']) {
        expect(text, what).not.toContain(told);
      }
    }
    const ofPasskey = await people.signedIn();
    const { options } = await people.ask(startPasskey, { body: {} }, ofPasskey.token);
    expect(Buffer.from((options as { user: { id: string } }).user.id, 'base64url').toString()).toBe(ofPasskey.userId);
  });

  test('and uses the link themselves, sees and ends no session of the person there', async () => {
    const there = await people.signedIn();
    const owner = await people.signedIn();
    const made = await invite(owner.token, { email: there.email });
    const { session_token, session } = await people.open(tokenOf(made.login_url));
    const { data } = await people.ask(listPersonSessions, {}, session_token);
    expect(data.map(({ id }) => id)).toEqual([session.id]);
    const tried = people.ask(revokePersonSession, { params: { sessionId: there.session.id } }, session_token);
    await expect(tried).rejects.toMatchObject({ code: 'user_session_not_found' });
    expect(await people.ask(getPersonSession, {}, there.token)).toEqual(there.session);
  });
});
