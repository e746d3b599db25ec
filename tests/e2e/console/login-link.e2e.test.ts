import { openLoginLink } from '@mostrador/testing/login-link';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { askAsPage, signInBy } from '../people.ts';
import { addresses, admin, gatewayUrl, newStore } from '../platform.ts';
import {
  addSession,
  inBrowser,
  invitePerson,
  newPage,
  newPerson,
  open,
  type TestStore,
  tabTo,
  title,
  tooNarrow,
  violations,
} from './browser.ts';
import { askFrom } from './signed-in.ts';

const password = 'trinta e nove pratos';
const signIn = (page: Page) => page.getByRole('button', { name: 'Sign in', exact: true });
const signedInTo = async (page: Page) => (await askFrom(page, 'GET', '/session')).user.email;
/** The name of a store, as the console shows it. */
const nameOf = async (loginUrl: string) =>
  (await askAsPage('POST', '/login-link', { body: { token: loginUrl.split('#')[1] } })).body.store.name as string;

/** A person of a store whom another one invites: with a password that opens the first, and a link of the second. */
async function invitedElsewhere(page: Page, store: TestStore, email: string, loginUrl: string) {
  await open(page, loginUrl, '/account/security');
  await askFrom(page, 'PUT', '/password', { new_password: password });
  const second = await newStore();
  const owner = await signInBy((await invitePerson(second)).loginUrl);
  const body = { email, name: 'Ana Lima', role: 'manager', seller_id: null };
  const invited = await askAsPage('POST', '/users', { cookie: owner, body });
  expect(invited.status, invited.text).toBe(201);
  return { first: store, second, owner, link: invited.body.login_url as string };
}

inBrowser(() => {
  test('the page of a link names person and store and waits: nothing is used up and no session ends', async () => {
    const { page, loginUrl, email } = await newPerson();
    const other = await newPerson();
    await open(page, other.loginUrl, '/inbox');
    await title(page, 'Inbox').waitFor();
    // What programs do that check a link, and a browser that loads ahead.
    for (const [method, headers] of [['GET'], ['HEAD'], ['GET', { 'sec-purpose': 'prefetch' }]] as const) {
      expect((await fetch(loginUrl, { method, headers })).status).toBe(200);
    }
    for (let looked = 0; looked < 3; looked += 1) {
      await page.goto('about:blank');
      await page.goto(loginUrl);
      await title(page, `Sign in to ${await nameOf(loginUrl)}?`).waitFor();
      await page.getByText(`This link signs you in as Ana Souza (${email}).`).waitFor();
      await page.getByText(/^Ana Souza is signed in to .* in this browser/).waitFor();
    }
    expect(await signedInTo(page)).toBe(other.email);

    await page.getByRole('link', { name: 'Keep my session' }).click();
    await title(page, 'Inbox').waitFor();
    expect(await signedInTo(page)).toBe(other.email);

    await page.goto(loginUrl);
    await tabTo(page, 'button', 'Sign in');
    await page.keyboard.press('Enter');
    await title(page, 'Inbox').waitFor();
    expect(await signedInTo(page)).toBe(email);
    expect(page.url()).not.toContain('#');
  });

  test('a link that an attacker sends does not sign a person in as another', async () => {
    const { page, loginUrl, email } = await newPerson();
    const attacker = await newPerson();
    await open(page, loginUrl, '/inbox');
    await title(page, 'Inbox').waitFor();
    const theirs = await page.context().newPage();
    await theirs.goto('about:blank');
    await theirs.evaluate(`location.assign(${JSON.stringify(attacker.loginUrl)})`);
    await signIn(theirs).waitFor();
    await page.reload();
    await title(page, 'Inbox').waitFor();
    expect(await signedInTo(page)).toBe(email);
  });

  test('a link that was used or never was says nothing about a person', async () => {
    const { page, loginUrl, email } = await newPerson();
    await signInBy(loginUrl);
    for (const url of [loginUrl, `${addresses.console_url}/login#ml_unknown`]) {
      await page.goto('about:blank');
      await page.goto(url);
      await title(page, 'You could not be signed in').waitFor();
      expect(await page.content()).not.toContain(email);
    }
  });

  test('a link that ends while its page is open says so in words', async () => {
    const { page, loginUrl } = await newPerson();
    await page.goto(loginUrl);
    await signIn(page).waitFor();
    await signInBy(loginUrl);
    await signIn(page).click();
    await page.getByRole('alert').getByText('was used already or is too old').waitFor();
  });

  test('a person joins a store by keyboard: the page says what it means, and the password is asked for', async () => {
    const { page, store, loginUrl, email } = await newPerson();
    const { second, owner, link } = await invitedElsewhere(page, store, email, loginUrl);
    const name = await nameOf(link);
    await openLoginLink(page, link);
    await title(page, `Open ${name} with your password or passkey?`).waitFor();
    await page.getByText(`You are signed in as Ana Lima (${email}).`).waitFor();
    await page.getByText(`Anyone who has it then gets into ${name}`).waitFor();
    expect((await askFrom(page, 'GET', '/stores')).data).toHaveLength(1);

    await tabTo(page, 'textbox', 'Your password of the other store');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Enter your password').waitFor();
    await page.keyboard.type('not this one');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The current password is wrong').waitFor();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await title(page, 'Inbox').waitFor();
    expect((await askFrom(page, 'GET', '/stores')).data).toHaveLength(2);

    const { body } = await askAsPage('GET', '/audit-log?action=store.joined', { cookie: owner });
    expect(body.data).toMatchObject([{ actor: { name: 'Ana Lima' }, details: { proof: 'password' } }]);
    const log = await newPage();
    await addSession(log.context(), owner);
    await log.goto(`${addresses.console_url}/team/audit-log`);
    await log.getByText('By: Password').waitFor();
    expect(second.id).toBe((await askFrom(page, 'GET', '/session')).store.id);
  });

  test('a person who does not join works in the store, and finds the way later', async () => {
    const { page, store, loginUrl, email } = await newPerson();
    const { link } = await invitedElsewhere(page, store, email, loginUrl);
    await openLoginLink(page, link);
    await page.getByRole('link', { name: 'Not now' }).click();
    await title(page, 'Inbox').waitFor();
    const answer = await askAsPage('POST', '/session', { body: { email, password } });
    expect(answer.body.store.id).toBe(store.id);
    await page.goto(`${addresses.console_url}/account/security`);
    await page.getByRole('link', { name: 'Open with it too' }).click();
    await page.getByRole('button', { name: 'Open with my password' }).waitFor();
  });

  test('axe finds nothing, and nothing is cut off at any width', async () => {
    const { page, store, loginUrl, email } = await newPerson('owner', { locale: 'pt-BR' });
    const { link } = await invitedElsewhere(page, store, email, loginUrl);
    await page.goto(link);
    await page.getByText('Não é você?').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    await page.getByRole('button', { name: 'Entrar', exact: true }).click();
    await page.getByRole('button', { name: 'Abrir com minha senha' }).waitFor();
    expect(await tooNarrow(page)).toEqual([]);
    await page.getByRole('button', { name: 'Abrir com minha senha' }).click();
    await page.getByRole('alert').waitFor();
    expect(await violations(page)).toEqual([]);
  });
});

test('a page of another site can neither look at a link nor use it', async () => {
  const store = await newStore();
  const { login_url } = await admin([
    ...['user', 'invite', '--store', store.id, '--email', 'csrf@example.com', '--name', 'Ana', '--role', 'owner'],
  ]);
  const body = JSON.stringify({ token: login_url.split('#')[1] });
  for (const path of ['/login-link', '/session']) {
    const headers = {
      'content-type': 'application/json',
      'sec-fetch-site': 'cross-site',
      origin: 'https://evil.example',
    };
    const answer = await fetch(`${gatewayUrl}/platform/v1${path}`, { method: 'POST', headers, body });
    expect(answer.status, path).toBe(403);
  }
  await signInBy(login_url);
});
