import { openLoginLink } from '@mostrador/testing/login-link';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { addresses, admin, newStore } from '../platform.ts';
import {
  inBrowser,
  inDialog,
  invitePerson,
  keyTo,
  newPage,
  newPerson,
  open,
  tabTo,
  title,
  tooNarrow,
  violations,
} from './browser.ts';
import { connectSandbox } from './conversations.ts';
import { addDevice, atLocalhost } from './passkeys.ts';

const password = 'trinta e nove pratos';

const navigation = (page: Page) => page.getByRole('navigation').waitFor();

async function askToSignOut(page: Page) {
  await page.getByRole('button', { name: /^Ana Souza/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

async function signOut(page: Page) {
  await askToSignOut(page);
  await title(page, 'Sign in').waitFor();
}

/** Signs out a person who has no way back. */
async function signOutAnyway(page: Page) {
  await askToSignOut(page);
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out anyway' }).click();
  await title(page, 'Sign in').waitFor();
}

inBrowser(() => {
  test('a person sets a password and signs in with it, by keyboard alone', async () => {
    const { page, loginUrl, email } = await newPerson();
    await openLoginLink(page, loginUrl);
    await navigation(page);
    await tabTo(page, 'button', /^Ana Souza/);
    await page.keyboard.press('Enter');
    await keyTo(page, 'ArrowDown', page.getByRole('menuitem', { name: 'Security' }));
    await page.keyboard.press('Enter');
    await title(page, 'Security').waitFor();
    await page.getByText('You have no password yet').waitFor();

    await tabTo(page, 'button', 'Set password');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog');
    await inDialog(page);
    await page.keyboard.type('password1234');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('too easy to guess').waitFor();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Your password is set').waitFor();
    await page.getByText(/^Set (now|[0-9])/).waitFor();
    await signOut(page);

    await tabTo(page, 'textbox', 'Email address');
    await page.keyboard.type(email);
    await page.keyboard.press('Tab');
    await page.keyboard.type('not this one');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('the password is wrong').waitFor();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await navigation(page);
    expect(await page.content()).not.toContain(password);
  });

  test('what a person kept in the browser is gone after a sign-out, an ended session and another sign-in', async () => {
    const { page, loginUrl, email, store } = await newPerson();
    const { id } = await (await connectSandbox(store)).newCustomer('Helena', 'Hello');
    const kept = () =>
      page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])) as Promise<string>;
    const writeDraft = async (url: string) => {
      await open(page, url, `/inbox/${id}`);
      await page.getByRole('textbox', { name: 'Message to Helena' }).fill('Half a secret');
      expect(await kept()).toContain('Half a secret');
    };
    const expectGone = async () => {
      const text = await kept();
      for (const secret of ['Half a secret', id]) expect(text).not.toContain(secret);
    };
    const newLink = async () => (await admin(['user', 'login-link', '--email', email])).login_url as string;
    await writeDraft(loginUrl);
    await page.evaluate(() => {
      localStorage.setItem('mostrador.theme', 'dark');
      localStorage.setItem('mostrador.language', 'en');
    });
    await signOutAnyway(page);
    await expectGone();
    expect(await kept()).toMatch(/"mostrador.theme":"dark"/);
    expect(await kept()).toMatch(/"mostrador.language":"en"/);

    await writeDraft(await newLink());
    await admin(['user', 'disable', '--email', email]);
    await page.reload();
    await page.getByText('You are signed out.').waitFor();
    await expectGone();

    await admin(['user', 'enable', '--email', email]);
    await writeDraft(await newLink());
    const other = await invitePerson(store, 'owner', 'Rui Alves');
    await openLoginLink(page, other.loginUrl);
    await page.getByRole('button', { name: /^Rui Alves/ }).waitFor();
    await expectGone();
  });

  test('a new password needs the current one, and ends the session in the other browser', async () => {
    const { page, loginUrl, email } = await newPerson();
    await open(page, loginUrl, '/account/security');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your password is set').waitFor();
    const other = await newPage();
    await other.goto(`${addresses.console_url}/login`);
    await other.getByLabel('Email address').fill(email);
    await other.getByLabel('Password').fill(password);
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await navigation(other);

    await other.goto(`${addresses.console_url}/account/security`);
    await other.getByRole('button', { name: 'Change password' }).click();
    await other.getByLabel('Current password').fill('not this one');
    await other.getByLabel('New password').fill('azul de metileno e sal');
    await other.getByRole('button', { name: 'Save' }).click();
    await other.getByRole('alert').getByText('The current password is wrong').waitFor();
    await other.getByLabel('Current password').fill(password);
    await other.getByRole('button', { name: 'Save' }).click();
    await other.getByText('Your password is set').waitFor();
    await page.reload();
    await title(page, 'Sign in').waitFor();
  });

  test('a person makes a passkey, signs in with it, renames and removes it', async () => {
    const { page, loginUrl } = await newPerson();
    await addDevice(page);
    await openLoginLink(page, atLocalhost(loginUrl));
    await navigation(page);
    await page.goto(atLocalhost(`${addresses.console_url}/account/security`));
    await tabTo(page, 'button', 'Add passkey');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog');
    await inDialog(page);
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('Counter');
    await page.keyboard.press('Enter');
    await page.getByText('“Counter” is added').waitFor();
    await page.getByText('not used yet').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await signOut(page);

    await tabTo(page, 'button', 'Sign in with a passkey');
    await page.keyboard.press('Enter');
    await navigation(page);
    await page.goto(atLocalhost(`${addresses.console_url}/account/security`));
    await page.getByText('last used').waitFor();
    await page.getByRole('button', { name: 'Rename “Counter”' }).click();
    await dialog.getByLabel('Name').fill('Till');
    await page.keyboard.press('Enter');
    await page.getByText('It is called “Till” now').waitFor();
    await page.getByRole('button', { name: 'Remove “Till”' }).click();
    await dialog.getByText('You cannot sign in with it').waitFor();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('“Till” is removed').waitFor();
    // Nothing is left with which to come back.
    await askToSignOut(page);
    await dialog.getByText('Otherwise you need a new link').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('link', { name: 'Set it up now' }).click();
    await dialog.waitFor({ state: 'detached' });
    await title(page, 'Security').waitFor();
    await signOutAnyway(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').getByText('does not work here any more').waitFor();
  });

  test('a link that is pasted where the login page is open signs the person in', async () => {
    const { page, loginUrl } = await newPerson();
    await page.goto(`${addresses.console_url}/login`);
    await title(page, 'Sign in').waitFor();
    await openLoginLink(page, loginUrl);
    await navigation(page);
  });

  test('a page at an IP address says why there are no passkeys', async () => {
    const { page, loginUrl } = await newPerson();
    await open(page, loginUrl, '/account/security');
    await page.getByText('browsers make passkeys only for localhost').waitFor();
    expect(await page.getByRole('button', { name: 'Add passkey' }).count()).toBe(0);
  });

  test('a person of two stores goes from one to the other, signs out, and all tabs follow', async () => {
    const { page, email } = await newPerson();
    const second = await newStore();
    const person = ['--email', email, '--name', 'Ana Souza', '--role', 'manager'];
    await admin(['user', 'invite', '--store', second.id, ...person]);
    const { login_url } = await admin(['user', 'login-link', '--email', email, '--store', second.id]);
    await openLoginLink(page, login_url);
    await navigation(page);
    const tab = await page.context().newPage();
    await tab.goto(`${addresses.console_url}/team`);
    await tab.getByRole('button', { name: /Manager/ }).waitFor();
    const menu = page.getByRole('button', { name: /^Ana Souza/ });
    await menu.click();
    await page.getByText('Manager').waitFor();
    await page.getByRole('menuitemradio', { checked: false }).first().click();
    await page.getByRole('button', { name: /Owner/ }).waitFor();
    await tab.getByRole('button', { name: /Owner/ }).waitFor();
    await signOutAnyway(page);
    await title(tab, 'Sign in').waitFor();
  });

  test('a page whose files another version has replaced loads the new ones', async () => {
    const { page, loginUrl } = await newPerson();
    await openLoginLink(page, loginUrl);
    await navigation(page);
    let isReplaced = true;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) isReplaced = false;
    });
    const missing = { status: 404 };
    await page.route('**/console/assets/**', (route) => (isReplaced ? route.fulfill(missing) : route.continue()));
    await page.getByRole('link', { name: 'Knowledge' }).click();
    await title(page, 'Knowledge').waitFor();
  });

  test('axe finds nothing, and nothing is cut off at any width', async () => {
    const { page, loginUrl } = await newPerson('owner', { locale: 'pt-BR', reducedMotion: 'reduce' });
    await addDevice(page);
    await page.goto(atLocalhost(`${addresses.console_url}/login`));
    await title(page, 'Entrar').waitFor();
    await page.getByRole('button', { name: 'Entrar', exact: true }).click();
    await page.getByRole('alert').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    await page.goto('about:blank');
    await openLoginLink(page, atLocalhost(loginUrl));
    await navigation(page);
    await page.goto(atLocalhost(`${addresses.console_url}/account/security`));
    await page.getByRole('button', { name: 'Adicionar chave de acesso' }).click();
    await page.getByRole('alertdialog').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Adicionar chave de acesso' }).click();
    await page.getByText('ainda não usada').waitFor();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    await page.getByRole('button', { name: 'Definir senha' }).click();
    await page.getByRole('alertdialog').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
  });

  // `preferred-locale.test.ts` has the other languages.
  test('a browser that asks for the Spanish of Argentina reads Spanish', async () => {
    const page = await newPage({ locale: 'es-AR' });
    await page.goto(`${addresses.console_url}/login`);
    await title(page, 'Iniciar sesión').waitFor();
  });
});
