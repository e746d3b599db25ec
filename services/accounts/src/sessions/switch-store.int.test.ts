import { createLoginLink, getPersonSession, listPersonStores, switchStore } from '@mostrador/contracts';
import { waitFor } from '@mostrador/testing/wait';
import { expect, test } from 'vitest';
import { accountsForFile } from '../../test/accounts.ts';
import { createPeople, password, tokenOf } from '../../test/people.ts';

const accounts = accountsForFile();
const people = createPeople(accounts);

const stores = async (token: string) =>
  (await people.ask(listPersonStores, { query: {} }, token)).data.map(({ id, current }) => [id, current]);
const goTo = (store: string, token?: string) => people.ask(switchStore, { body: { store_id: store } }, token);

/** A person of two stores, who set a password in the first one. */
async function ofTwoStores() {
  const email = people.newEmail();
  const first = await people.signedIn(undefined, email);
  await people.setPassword(first.token);
  const second = await people.newStore();
  const { login_url } = await people.invite(second, email, 'manager');
  return { email, first: first.store, second, link: tokenOf(login_url) };
}

test('a session that ends while its person goes to another store does not go on there', async () => {
  const { email, second, link } = await ofTwoStores();
  const { session_token } = await people.signIn(email, password);
  const { session_token: joined, session } = await people.join((await people.open(link, session_token)).session_token);
  const other = (await people.ask(listPersonStores, { query: {} }, joined)).data.find(({ id }) => id !== second);
  let going: Promise<unknown> = Promise.resolve();
  await accounts.adminSql.begin(async (sql) => {
    await sql`update sessions set ended_at = clock_timestamp() where id = ${session.id}`;
    going = goTo(other?.id ?? '', joined).catch(({ code }) => code);
    const waits = async () => (await sql`select 1 from pg_locks where not granted`).length > 0;
    await waitFor(waits, { description: 'it waits for the end of the session' });
  });
  expect(await going).toBe('invalid_session');
});

test('a person whose password opens two stores goes from one to the other with a new token', async () => {
  const { email, first, second, link } = await ofTwoStores();
  const { session_token } = await people.signIn(email, password);
  // The link of the second store, and the password once more.
  const opened = await people.open(link, session_token);
  expect(await stores(opened.session_token)).toEqual([[second, true]]);
  const joined = await people.join(opened.session_token);
  expect(new Set(await stores(joined.session_token))).toEqual(
    new Set([
      [first, false],
      [second, true],
    ]),
  );
  const there = await goTo(first, joined.session_token);
  expect(there.session).toMatchObject({ store: { id: first }, role: 'owner', expires_at: joined.session.expires_at });
  expect(there.session_token).not.toBe(joined.session_token);
  const old = people.ask(getPersonSession, {}, joined.session_token);
  await expect(old).rejects.toMatchObject({ code: 'invalid_session' });
  const again = await people.signIn(email, password);
  expect(again.session.store.id).toBe(first);
  expect(await goTo(second, again.session_token)).toMatchObject({ session: { role: 'manager' } });
  expect((await people.auditOf(second)).map(({ action }) => action)).toEqual([
    ...['store.created', 'user.invited', 'session.opened', 'store.joined', 'session.opened'],
    ...['session.ended', 'session.opened'],
  ]);
});

test('a password opens no store that its person has not joined with it', async () => {
  const { email, first, second } = await ofTwoStores();
  const { session_token, session } = await people.signIn(email, password);
  expect(session.store.id).toBe(first);
  expect(await stores(session_token)).toEqual([[first, true]]);
  await expect(goTo(second, session_token)).rejects.toMatchObject({ code: 'store_not_found' });
});

test('a link of a store opens only that store, also when the person has others', async () => {
  const { first, second, link } = await ofTwoStores();
  const { session_token } = await people.open(link);
  expect(await stores(session_token)).toEqual([[second, true]]);
  await expect(goTo(first, session_token)).rejects.toMatchObject({ code: 'store_not_found' });
  expect(await people.ask(getPersonSession, {}, session_token)).toMatchObject({ store: { id: second } });
});

test('a link of the operator opens all stores of the person', async () => {
  const { email, first, second } = await ofTwoStores();
  const { login_url } = await accounts.admin(createLoginLink, { body: { email, store_id: first } });
  const { session_token } = await people.open(tokenOf(login_url));
  expect((await goTo(second, session_token)).session.store.id).toBe(second);
});

test('a person of more stores than a page holds reads each once, by name, and goes to the last', async () => {
  const { email, first } = await ofTwoStores();
  const { login_url } = await accounts.admin(createLoginLink, { body: { email, store_id: first } });
  const { session_token: token } = await people.open(tokenOf(login_url));
  await accounts.adminSql`
    with made as (
      insert into stores (name, tier, timezone, locale)
      select 'Loja ' || n % 100, 'free', 'UTC', 'en' from generate_series(1, 430) n returning id)
    insert into memberships (store_id, user_id, role)
    select made.id, users.id, 'owner' from made, users where email = ${email}`;
  const seen: { id: string; name: string }[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await people.ask(listPersonStores, { query: cursor ? { cursor } : {} }, token);
    seen.push(...page.data);
    cursor = page.next_cursor;
  }
  expect(new Set(seen.map(({ id }) => id)).size).toBe(432);
  expect(seen).toHaveLength(432);
  const last = seen.at(-1)?.id ?? '';
  expect((await goTo(last, token)).session.store.id).toBe(last);
});

test('a session does not live longer by going from store to store', async () => {
  const { first, link } = await ofTwoStores();
  const joined = await people.join((await people.open(link)).session_token);
  await accounts.adminSql`
    update sessions set expires_at = now() + interval '1 hour', signed_in_at = now() - interval '1 day'
    where id = ${joined.session.id}`;
  const { session } = await goTo(first, joined.session_token);
  expect(Date.parse(session.expires_at)).toBeLessThan(Date.now() + 2 * 3_600_000);
  expect(Date.parse(session.created_at)).toBeLessThan(Date.now() - 3_600_000);
});

test.each(['0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a', 'x', undefined])('a person cannot go to %s', async (store) => {
  const { token, session } = await people.signedIn();
  await expect(goTo(store as string, token)).rejects.toMatchObject({ code: /store_not_found|validation_failed/ });
  await expect(goTo(session.store.id)).rejects.toMatchObject({ code: 'invalid_session' });
  await expect(people.ask(listPersonStores, { query: {} })).rejects.toMatchObject({ code: 'invalid_session' });
  expect(await people.ask(getPersonSession, {}, token)).toEqual(session);
});
