import { execFileSync } from 'node:child_process';
import { openLoginLink } from '@mostrador/testing/login-link';
import { expect, test } from 'vitest';
import { addresses, admin, eventually } from '../platform.ts';
import {
  inBrowser,
  inDialog,
  keyTo,
  newPage,
  newPerson,
  open,
  tabTo,
  title,
  tooNarrow,
  violations,
} from './browser.ts';

inBrowser(() => {
  test('the link that npm start prints signs the demo store’s owner in, once', async () => {
    expect(addresses.console_login_url).toMatch(new RegExp(`^${addresses.console_url}/login#`));
    const page = await newPage();
    await openLoginLink(page, addresses.console_login_url);
    await title(page, 'Inbox').waitFor();
    await page.getByText('Salão Aurora').waitFor();
    expect(page.url()).toBe(`${addresses.console_url}/inbox`);

    const other = await newPage({ locale: 'pt-BR' });
    await other.goto(addresses.console_login_url);
    await title(other, 'Não foi possível entrar').waitFor();
    await other.getByRole('alert').getByText('já foi usado').waitFor();
    expect(other.url()).not.toContain('#');
  });

  test('every screen asks for a login link without a session, and an unknown path says so', async () => {
    const page = await newPage({ locale: 'es-MX' });
    await page.goto(`${addresses.console_url}/integrations/keys`);
    await title(page, 'Iniciar sesión').waitFor();
    await page.goto(`${addresses.console_url}/no/such/page`);
    await title(page, 'Esta página no existe').waitFor();
  });

  test('an owner makes, uses, replaces and revokes a key by keyboard alone', async () => {
    const { page, loginUrl, store } = await newPerson();
    await open(page, loginUrl, '/integrations/keys');
    await title(page, 'API keys').waitFor();
    await page.getByRole('row', { name: /^e2e/ }).waitFor();

    await tabTo(page, 'button', 'Create key');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog');
    await inDialog(page);
    await page.keyboard.type('Site');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('Choose at least one').waitFor();
    await tabTo(page, 'checkbox', 'Customers: Read');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');

    await dialog.getByText('This is the only time').waitFor();
    const [key = '', curl = ''] = await dialog.locator('code').allTextContents();
    expect(key).toMatch(/^mk_live_/);
    await page.keyboard.press('Escape');
    expect(await dialog.getByRole('heading', { name: 'Copy “Site” now' }).isVisible()).toBe(true);
    expect(
      JSON.parse(execFileSync('bash', ['-c', `${curl} --silent --show-error`], { encoding: 'utf8' })),
    ).toMatchObject({ data: [] });
    await tabTo(page, 'button', 'Copy key');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    await tabTo(page, 'button', 'I have saved it');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(key);

    const row = page.getByRole('row', { name: /^Site/ });
    await row.getByText('Customers: read').waitFor();
    await tabTo(page, 'button', 'Actions for Site');
    await page.keyboard.press('Enter');
    await keyTo(page, 'Home', page.getByRole('menuitem', { name: 'Replace' }));
    await page.keyboard.press('Enter');
    await tabTo(page, 'button', 'Replace');
    await page.keyboard.press('Enter');
    await dialog.getByText('This is the only time').waitFor();
    expect((await dialog.locator('code').allTextContents())[0]).not.toBe(key);
    await tabTo(page, 'button', 'I have saved it');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await eventually(
      () => page.getByRole('row', { name: /^Site/ }).count(),
      (count) => count === 2,
    );

    await tabTo(page, 'button', 'Actions for e2e');
    await page.keyboard.press('Enter');
    await keyTo(page, 'ArrowDown', page.getByRole('menuitem', { name: 'Revoke' }));
    await page.keyboard.press('Enter');
    await dialog.getByText('cannot be brought back').waitFor();
    expect(await dialog.getByRole('button', { name: 'Cancel' }).evaluate((element) => element.matches(':focus'))).toBe(
      true,
    );
    await tabTo(page, 'button', 'Revoke');
    await page.keyboard.press('Enter');
    await page.getByText('“e2e” is revoked').waitFor();
    await page.getByRole('button', { name: 'Show revoked or expired (1)' }).waitFor();
    await eventually(
      async () => (await fetch(`${addresses.base_url}/store`, { headers: { 'x-api-key': store.key } })).status,
      (status) => status === 401,
    );
  });

  test('a store without keys says what to do next', async () => {
    const { page, loginUrl, store } = await newPerson();
    const { keys } = await admin(['key', 'list', '--store', store.id]);
    for (const { id } of keys) await admin(['key', 'revoke', '--key', id]);
    await open(page, loginUrl, '/integrations/keys');
    await page.getByRole('button', { name: 'Show revoked or expired (1)' }).waitFor();
    await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
  });

  test('a manager reads in words why there are no keys for them', async () => {
    const { page, loginUrl } = await newPerson('manager');
    await open(page, loginUrl, '/integrations/keys');
    await page.getByText('Your role in the store does not allow this.').waitFor();
  });

  test('a person ends another session, signs out, and is asked to sign in on every screen', async () => {
    const { page, loginUrl, email } = await newPerson();
    await open(page, loginUrl, '/integrations/keys');
    await title(page, 'API keys').waitFor();
    const { login_url } = await admin(['user', 'login-link', '--email', email]);
    const other = await newPage();
    await open(other, login_url, '/integrations/keys');
    await title(other, 'API keys').waitFor();

    await tabTo(page, 'button', /^Ana Souza/);
    await page.keyboard.press('Enter');
    await keyTo(page, 'Home', page.getByRole('menuitem', { name: 'Sessions' }));
    await page.keyboard.press('Enter');
    await title(page, 'Sessions').waitFor();
    await page.getByText('This browser').waitFor();
    await tabTo(page, 'button', /^End the session in/);
    await page.keyboard.press('Enter');
    await page.getByText('The session has ended').waitFor();

    await other.getByRole('button', { name: 'Create key' }).click();
    await other.getByRole('textbox', { name: 'Name' }).fill('Late');
    await other.getByRole('button', { name: 'Everything' }).click();
    await other.getByRole('alertdialog').getByRole('button', { name: 'Create key' }).click();
    await other.getByText('You are signed out.').waitFor();

    await tabTo(page, 'button', /^Ana Souza/);
    await page.keyboard.press('Enter');
    await keyTo(page, 'End', page.getByRole('menuitem', { name: 'Sign out' }));
    await page.keyboard.press('Enter');
    await tabTo(page, 'button', 'Sign out anyway');
    await page.keyboard.press('Enter');
    await title(page, 'Sign in').waitFor();
    await page.goBack();
    await title(page, 'Sign in').waitFor();
  });

  test('language and theme are those of the person in this browser', async () => {
    const { page, loginUrl } = await newPerson();
    await open(page, loginUrl, '/integrations/keys');
    await title(page, 'API keys').waitFor();
    const menu = page.getByRole('button', { name: /^Ana Souza/ });
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await menu.click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    expect(await background()).not.toBe(light);
    await menu.click();
    await page.getByRole('menuitemradio', { name: 'Português' }).click();
    await title(page, 'Chaves de API').waitFor();
    expect(await background()).not.toBe(light);
    expect(await page.evaluate('document.documentElement.lang')).toBe('pt-BR');
  });

  test('axe finds nothing, and nothing is cut off at any width', async () => {
    const { page, loginUrl } = await newPerson('owner', { reducedMotion: 'reduce' });
    await page.goto(`${addresses.console_url}/login`);
    await title(page, 'Sign in').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto('about:blank');
    await open(page, loginUrl, '/integrations/keys');
    await page.getByRole('row', { name: /^e2e/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('alertdialog').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.goto(`${addresses.console_url}/account/sessions`);
    await page.getByText('This browser').waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
