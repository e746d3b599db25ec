import { getPersonSession, listPersonStores, switchStore } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { accountsForFile } from '../../test/accounts.ts';
import { createPeople, password, tokenOf } from '../../test/people.ts';

// S4: an owner set the password of a person whom they invited. A link of another store, opened in the browser where that
// password had signed the person in, let the owner into that other store. It asked nothing, and no log told of it.

const accounts = accountsForFile();
const people = createPeople(accounts);

/** The owner of `trap` knows the password of a person whom `home` invites, and the person is signed in with it. */
async function trapped() {
  const email = people.newEmail();
  const trap = await people.signedIn(undefined, email);
  await people.setPassword(trap.token, password);
  const home = await people.newStore();
  const { login_url } = await people.invite(home, email);
  const { session_token: victim } = await people.signIn(email, password);
  return { email, trap: trap.store, home, link: tokenOf(login_url), victim };
}

/** The stores that the holder of the password reaches. */
async function reached(email: string): Promise<string[]> {
  const { session_token } = await people.signIn(email, password);
  const { data } = await people.ask(listPersonStores, { query: {} }, session_token);
  return data.map(({ id }) => id);
}

test('a link that is opened in the browser of the person does not let a password that another store’s owner set into the store', async () => {
  const { email, trap, home, link, victim } = await trapped();
  const { session } = await people.open(link, victim);
  expect(session.store.id).toBe(home);
  expect(await reached(email)).toEqual([trap]);
});

test('a change of the password in a session of the store does not let the password in either', async () => {
  const { email, trap, link, home } = await trapped();
  const { session_token } = await people.open(link);
  await people.setPassword(session_token, 'azul de metileno e sal', password);
  const { session_token: owner } = await people.signIn(email, 'azul de metileno e sal');
  expect(await people.ask(getPersonSession, {}, owner)).toMatchObject({ store: { id: trap } });
  const going = people.ask(switchStore, { body: { store_id: home } }, owner);
  await expect(going).rejects.toMatchObject({ code: 'store_not_found' });
});
