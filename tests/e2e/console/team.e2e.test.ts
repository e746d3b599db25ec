import { randomBytes } from 'node:crypto';
import { openLoginLink } from '@mostrador/testing/login-link';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { addresses, eventually, request } from '../platform.ts';
import { inBrowser, invitePerson, newPage, newPerson, open, tabTo, title, tooNarrow, violations } from './browser.ts';
import { askFrom } from './signed-in.ts';

const dialogOf = (page: Page) => page.getByRole('alertdialog');
const newEmail = () => `${randomBytes(8).toString('hex')}@example.com`;

inBrowser(() => {
  test('an owner adds a seller and invites them by keyboard alone, and the link signs them in', async () => {
    const { page, loginUrl, store } = await newPerson();
    await open(page, loginUrl, '/team/sellers');
    await page.getByRole('heading', { name: 'No sellers yet' }).waitFor();
    await tabTo(page, 'button', 'Add seller');
    await page.keyboard.press('Enter');
    await dialogOf(page).waitFor();
    await page.keyboard.type('Bia Lima');
    await page.keyboard.press('Tab');
    await page.keyboard.type('+55 11 98765-4321');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /^Bia Lima/ }).waitFor();
    expect((await request('GET', '/sellers', { key: store.key })).body.data).toMatchObject([
      { name: 'Bia Lima', whatsapp_id: '5511987654321', is_active: true },
    ]);

    await tabTo(page, 'link', 'People');
    await page.keyboard.press('Enter');
    await page.getByText('Who may sign in here').waitFor();
    await tabTo(page, 'button', 'Invite');
    await page.keyboard.press('Enter');
    await dialogOf(page).waitFor();
    const email = newEmail();
    await page.keyboard.type(email);
    await page.keyboard.press('Tab');
    await page.keyboard.type('Bia Lima');
    await page.keyboard.press('Enter');
    await dialogOf(page).getByText('Give a full phone number').waitFor();
    await tabTo(page, 'combobox', 'Seller');
    await page.keyboard.type('Bia');
    await tabTo(page, 'button', 'Invite');
    await page.keyboard.press('Enter');
    await dialogOf(page).getByText('It works once, until').waitFor();
    const link = (await dialogOf(page).locator('code').textContent()) ?? '';
    // The button takes the focus when the link is shown, and a key before that would meet another one.
    const copy = dialogOf(page).getByRole('button', { name: 'Copy link' });
    await expect.poll(() => copy.evaluate((button) => button.matches(':focus'))).toBe(true);
    await tabTo(page, 'button', 'Done');
    await page.keyboard.press('Enter');
    await dialogOf(page).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: new RegExp(email) }).waitFor();

    const other = await newPage();
    await openLoginLink(other, link);
    await other.getByRole('button', { name: /^Bia Lima/ }).waitFor();
  });

  test('a person is invited together with the seller who they are, and an email that is taken makes no second one', async () => {
    const { page, loginUrl, store } = await newPerson();
    const other = await invitePerson(store, 'manager', 'Rui Alves');
    await open(page, loginUrl, '/team');
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = dialogOf(page);
    await dialog.getByLabel('Email').fill(other.email);
    await dialog.getByLabel('Name').fill('Bia Lima');
    await dialog.getByLabel('Seller').selectOption({ label: 'A new seller with this name' });
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByText('Give a full phone number').waitFor();
    await dialog.getByLabel('WhatsApp number').fill('+55 11 98765-4321');
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByText('is in the store already').waitFor();
    const email = newEmail();
    await dialog.getByLabel('Email').fill(email);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByText('It works once, until').waitFor();
    const sellers = (await request('GET', '/sellers', { key: store.key })).body.data;
    expect(sellers).toMatchObject([{ name: 'Bia Lima', whatsapp_id: '5511987654321' }]);
    await dialog.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: new RegExp(email) });
    await row.getByText('Bia Lima').nth(1).waitFor();
    await row.getByText('Not yet').waitFor();
  });

  test('an owner changes a role, makes a new link and removes a person, and the audit log says so', async () => {
    const { page, loginUrl, store } = await newPerson();
    await invitePerson(store, 'manager', 'Rui Alves');
    await open(page, loginUrl, '/team');
    const row = page.getByRole('row', { name: /^Rui Alves/ });
    await row.getByText('Manager').waitFor();
    const menu = async (item: string) => {
      await page.getByRole('button', { name: 'Actions for Rui Alves' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await menu('Edit');
    await dialogOf(page).getByLabel('Role').selectOption('owner');
    await dialogOf(page).getByRole('button', { name: 'Save' }).click();
    await row.getByText('Owner').waitFor();
    await menu('New login link');
    await dialogOf(page).getByRole('button', { name: 'Make link' }).click();
    await dialogOf(page)
      .getByText(/login#/)
      .waitFor();
    await dialogOf(page).getByRole('button', { name: 'Done' }).click();
    await menu('Remove');
    await dialogOf(page).getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page
      .getByRole('row', { name: /^Person removed/ })
      .first()
      .waitFor();
    const entry = page.getByRole('row', { name: /^Person changed/ });
    await entry.getByText('Changed: role').waitFor();
    await entry.getByText('Role: Owner').waitFor();
  });

  test('an owner who removes a person sees and ends the keys and webhooks that they created', async () => {
    const { page, loginUrl, store } = await newPerson();
    const leaver = await invitePerson(store, 'owner', 'Rui Alves');
    const theirs = await newPage();
    await open(theirs, leaver.loginUrl, '/integrations/keys');
    await title(theirs, 'API keys').waitFor();
    const key = { name: 'Booking site', scopes: ['webhooks:write'], expires_at: null };
    const made = await askFrom(theirs, 'POST', '/keys', key);
    const url = 'https://93.184.215.14/hooks';
    const endpoint = await request('POST', '/webhooks/endpoints', { key: made.api_key, body: { url } });
    expect(endpoint.body.created_by).toEqual({ kind: 'api_key', id: made.key.id });

    await open(page, loginUrl, '/integrations/keys');
    await page
      .getByRole('row', { name: /^Booking site/ })
      .getByText('Rui Alves')
      .waitFor();
    await page.goto(`${addresses.console_url}/integrations/webhooks/${endpoint.body.id}`);
    await page.getByText('The API key “Booking site” of Rui Alves').waitFor();
    await page.goto(`${addresses.console_url}/team`);
    await page.getByRole('button', { name: 'Actions for Rui Alves' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    const dialog = dialogOf(page);
    await dialog.getByText('Booking site').waitFor();
    await dialog.getByText(url).waitFor();
    expect(await dialog.getByRole('checkbox', { checked: true }).count()).toBe(2);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Rui Alves is removed').waitFor();
    await eventually(
      () => request('GET', '/store', { key: made.api_key }),
      ({ status }) => status === 401,
    );
    const after = await request('GET', `/webhooks/endpoints/${endpoint.body.id}`, { key: store.key });
    expect(after.body.status).toBe('paused');
  });

  test('the last owner stays, and reads why', async () => {
    const { page, loginUrl } = await newPerson();
    await open(page, loginUrl, '/team');
    await page.getByRole('button', { name: 'Actions for Ana Souza' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await dialogOf(page).getByRole('button', { name: 'Remove' }).click();
    await dialogOf(page).getByText('The store needs at least one owner').waitFor();
  });

  test('a seller who is deactivated gets no new leads, and the change can be taken back', async () => {
    const { page, loginUrl, store } = await newPerson('manager');
    await request('POST', '/sellers', { key: store.key, body: { name: 'Bia', whatsapp_id: '11987654321' } });
    await open(page, loginUrl, '/team/sellers');
    await page.getByRole('button', { name: 'Actions for Bia' }).click();
    await page.getByRole('menuitem', { name: 'Deactivate' }).click();
    await page.getByText('Bia keeps their customers and gets no new ones').first().waitFor();
    const isActive = async () => (await request('GET', '/sellers', { key: store.key })).body.data[0].is_active;
    await eventually(isActive, (now) => now === false);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(isActive, (now) => now === true);
    await page.getByRole('row', { name: /^Bia.*Active/ }).waitFor();
  });

  test('a manager sees the people and changes none of them, and a seller sees nothing of the team', async () => {
    const manager = await newPerson('manager');
    await open(manager.page, manager.loginUrl, '/team');
    await manager.page.getByRole('row', { name: /^Ana Souza/ }).waitFor();
    expect(await manager.page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
    expect(await manager.page.getByRole('button', { name: /^Actions for/ }).count()).toBe(0);
    expect(await manager.page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    const seller = await newPerson('seller');
    await open(seller.page, seller.loginUrl, '/team');
    await seller.page.getByText('This could not be loaded').waitFor();
    expect(await seller.page.getByRole('link', { name: 'Team' }).count()).toBe(0);
  });

  const hostile = `<img src=x onerror=alert(1)>\u202eabc\u200b${'x'.repeat(150)}`;

  test('axe finds nothing on the screens of the team, and hostile names break nothing at any width', async () => {
    const { page, loginUrl, store } = await newPerson('owner', { reducedMotion: 'reduce' });
    await invitePerson(store, 'manager', hostile);
    for (const name of ['Bia', hostile]) {
      const whatsapp_id = name === hostile ? '11987654322' : '11987654321';
      await request('POST', '/sellers', { key: store.key, body: { name, whatsapp_id } });
    }
    const hostileRow = page.locator('tbody').getByText('<img src=x onerror=alert(1)>').first();
    await open(page, loginUrl, '/team');
    await page.getByRole('row', { name: /^Ana Souza/ }).waitFor();
    await hostileRow.waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    await page.getByRole('button', { name: 'Invite' }).click();
    await dialogOf(page).getByRole('button', { name: 'Invite' }).click();
    await dialogOf(page).getByText('Give a full email address').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialogOf(page).getByRole('button', { name: 'Cancel' }).click();
    await dialogOf(page).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Sellers' }).click();
    await page.getByRole('row', { name: /^Bia/ }).waitFor();
    await hostileRow.waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page
      .getByRole('row', { name: /^Signed in/ })
      .first()
      .waitFor();
    await hostileRow.waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
  });
});
