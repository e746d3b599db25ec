import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { addresses, gatewayUrl } from '../platform.ts';
import { inBrowser, invitePerson, newPage, newPerson, tabTo, title } from './browser.ts';

const login = `${addresses.console_url}/login`;
const callback = `${gatewayUrl}/platform/v1/session/oidc/callback`;
const navigation = (page: Page) => page.getByRole('navigation').waitFor();

/** Goes to the provider, by keyboard. */
async function goToProvider(page: Page, button = 'Continue with Example') {
  await page.goto(login);
  await page.getByRole('button', { name: button }).waitFor();
  await tabTo(page, 'button', button);
  await page.keyboard.press('Enter');
  await title(page, 'Example provider').waitFor();
}

async function signIn(page: Page, account: string) {
  await page.keyboard.type(account);
  await page.keyboard.press('Enter');
}

inBrowser(() => {
  test('a person signs in with their account at the provider, by keyboard alone', async () => {
    const { page, email } = await newPerson();
    await goToProvider(page);
    await signIn(page, email);
    await navigation(page);
    expect(new URL(page.url()).origin).toBe(gatewayUrl);
    expect(page.url()).not.toContain('code=');
    const cookies = await page.context().cookies(gatewayUrl);
    const ours = cookies.filter(({ name }) => name.startsWith('__Host-'));
    expect(ours).toMatchObject([{ name: '__Host-mostrador', httpOnly: true, secure: true, sameSite: 'Lax' }]);

    await page.goto(`${addresses.console_url}/account/security`);
    await page.getByText('You sign in with your account there').waitFor();
    await page.getByRole('button', { name: /^Ana Souza/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await title(page, 'Sign in').waitFor();
    // The provider still knows who they are.
    await page.getByRole('button', { name: 'Continue with Example' }).click();
    await navigation(page);
  });

  test('an account of a stranger is refused in words, and the person tries another', async () => {
    const { page, email } = await newPerson();
    await goToProvider(page);
    await signIn(page, 'stranger@example.com');
    await title(page, 'You could not be signed in').waitFor();
    await page.getByRole('alert').getByText('There is no access with this account').waitFor();
    await page.context().clearCookies({ domain: 'localhost' });
    await page.getByRole('button', { name: 'Continue with Example' }).click();
    await title(page, 'Example provider').waitFor();
    await signIn(page, email);
    await navigation(page);
  });

  test('the words are in the language of the person', async () => {
    const page = await newPage({ locale: 'pt-BR' });
    await goToProvider(page, 'Continuar com Example');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alert').getByText('O acesso foi interrompido lá').waitFor();
  });

  test('a person who goes back from the provider finds a page that works', async () => {
    const { page, email } = await newPerson();
    await goToProvider(page);
    await page.goBack();
    await page.getByRole('button', { name: 'Continue with Example' }).click();
    await title(page, 'Example provider').waitFor();
    await signIn(page, email);
    await navigation(page);
  });

  test('what a provider answered to one browser signs no other browser in', async () => {
    const { store, page } = await newPerson();
    const attacker = await invitePerson(store);
    await goToProvider(page);
    // The attacker comes back without the cookie, so what the provider answered is not used up.
    const [cookie] = (await page.context().cookies(gatewayUrl)).filter(({ name }) => name.startsWith('__Host-'));
    await page.context().clearCookies({ name: '__Host-mostrador-oidc' });
    const answered = page.waitForRequest((request) => request.url().startsWith(callback));
    await signIn(page, attacker.email);
    const address = (await answered).url();
    await page.getByRole('alert').getByText('no longer valid').waitFor();
    for (const hasOwnAttempt of [false, true]) {
      const other = await newPage();
      if (hasOwnAttempt) await goToProvider(other);
      await other.goto(address);
      await other.getByRole('alert').getByText('no longer valid').waitFor();
    }
    await page.context().addCookies([cookie as NonNullable<typeof cookie>]);
    await page.goto(address);
    await navigation(page);
  });

  test('an address with an unknown error says nothing of its own', async () => {
    const page = await newPage();
    await page.goto(`${login}?failed=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E`);
    await title(page, 'You could not be signed in').waitFor();
    expect(await page.getByRole('alert').textContent()).not.toContain('img');
  });
});
