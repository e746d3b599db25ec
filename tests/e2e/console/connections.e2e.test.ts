import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startRadicale } from '@mostrador/testing/providers/caldav/servers';
import { soundNumber } from '@mostrador/testing/providers/whatsapp/numbers';
import { startWhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { admin, daysAhead, eventually, request } from '../platform.ts';
import { inBrowser, inDialog, newPerson, open, tabTo, title, tooNarrow, violations } from './browser.ts';
import { askFrom } from './signed-in.ts';

const path = '/integrations/connections';
const dialogOf = (page: Page) => page.getByRole('alertdialog');
const part = (page: Page, name: 'Messages' | 'Calendar' | 'Artificial intelligence') =>
  page.getByRole('region', { name });

inBrowser(() => {
  test('an owner connects the telephone in the browser by keyboard alone, opens it, and disconnects it', async () => {
    const { page, loginUrl, store } = await newPerson();
    await open(page, loginUrl, path);
    await title(page, 'Connections').waitFor();
    await part(page, 'Messages').getByText('Not connected').waitFor();
    const connect = part(page, 'Messages').getByRole('button', { name: 'Connect' });
    await connect.press('Enter');
    await inDialog(page);
    await page.keyboard.type('Telephone');
    await tabTo(page, 'button', 'Cancel');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await part(page, 'Messages').getByText('Connected', { exact: true }).first().waitFor();
    const shown = await admin(['channel', 'show', '--store', store.id]);
    const telephone = part(page, 'Messages').getByRole('link', { name: 'Open the telephone' });
    expect(await telephone.getAttribute('href')).toBe(shown.sandbox_url);
    const popup = page.context().waitForEvent('page');
    await telephone.press('Enter');
    expect((await popup).url()).toContain('/sandbox/');

    await part(page, 'Messages').getByRole('button', { name: 'Disconnect' }).click();
    await dialogOf(page).getByRole('button', { name: 'Disconnect' }).click();
    await part(page, 'Messages').getByText('Not connected').waitFor();
  });

  test('what WhatsApp says of the number is shown, and another state of it appears by itself with what to do', async () => {
    const { page, loginUrl, store } = await newPerson();
    const whatsapp = await startWhatsappServer();
    try {
      const { phoneNumberId, phone, accessToken: access_token, appSecret: app_secret } = whatsapp.settings;
      const connected = await admin(
        [
          ...['channel', 'connect', '--store', store.id, '--provider', 'whatsapp_cloud', '--phone', phone],
          ...['--phone-number-id', phoneNumberId, '--api-url', whatsapp.apiUrl, '--secrets-stdin'],
        ],
        JSON.stringify({ access_token, app_secret, verify_token: 'verify' }),
      );
      whatsapp.settings.webhookUrl = connected.webhook_url;
      const health = async () => (await admin(['channel', 'show', '--store', store.id])).number?.health;
      await expect.poll(health).toBe('good');
      await open(page, loginUrl, path);
      for (const shown of ['Loja da Ana', 'High', '250']) await part(page, 'Messages').getByText(shown).waitFor();
      expect(await violations(page)).toEqual([]);

      whatsapp.settings.number = { ...soundNumber, status: 'FLAGGED', quality_rating: 'RED' };
      const value = { display_phone_number: phone, event: 'FLAGGED', current_limit: 'TIER_250' };
      const changes = [{ field: 'phone_number_quality_update', value }];
      expect(await whatsapp.posts({ object: 'whatsapp_business_account', entry: [{ id: '1', changes }] })).toBe(200);
      await part(page, 'Messages').getByText('Customers block or report this number.').waitFor();
      await part(page, 'Messages').getByText('Low').waitFor();
      expect(await violations(page)).toEqual([]);
    } finally {
      await whatsapp.close();
    }
  });

  test('a calendar that refuses says in words why, a right one is connected, and what waited is seen to arrive', async () => {
    const radicale = await startRadicale();
    try {
      const { page, loginUrl, store } = await newPerson();
      const body = { title: 'Haircut', scheduled_at: daysAhead(1).toISOString() };
      await request('POST', '/appointments', { key: store.key, body });
      await open(page, loginUrl, path);
      await part(page, 'Calendar').getByRole('button', { name: 'Connect' }).click();
      await dialogOf(page).getByLabel('Kind').selectOption('caldav');
      await dialogOf(page).getByRole('button', { name: 'Check and connect' }).click();
      expect(await dialogOf(page).getByText('This is needed.').count()).toBe(3);
      await dialogOf(page).getByLabel('Address of the calendar').fill(radicale.collectionUrl);
      await dialogOf(page)
        .getByLabel('Account')
        .fill(radicale.username ?? '');
      await dialogOf(page).getByLabel('Password').fill('wrong');
      await dialogOf(page).getByRole('button', { name: 'Check and connect' }).click();
      await dialogOf(page).getByText('did not accept the account or the password').waitFor();
      await dialogOf(page)
        .getByLabel('Password')
        .fill(radicale.password ?? '');
      await dialogOf(page).getByRole('button', { name: 'Check and connect' }).click();
      await part(page, 'Calendar').getByText(radicale.collectionUrl).waitFor();
      await part(page, 'Calendar').getByText('Appointments on their way').waitFor({ state: 'detached' });
      expect((await request('GET', '/store', { key: store.key })).body.calendar).toMatchObject({
        provider: 'caldav',
        status: 'connected',
      });
      expect(await page.content()).not.toContain(radicale.password);
    } finally {
      await radicale.dispose();
    }
  });

  test('a calendar whose first attempts fail says so in yellow, and one that passes the check again gets its appointments', async () => {
    const radicale = await startRadicale();
    try {
      const { page, loginUrl, store } = await newPerson();
      await open(page, loginUrl, path);
      await part(page, 'Calendar').getByRole('button', { name: 'Connect' }).click();
      await dialogOf(page).getByLabel('Kind').selectOption('caldav');
      const connect = async () => {
        await dialogOf(page).getByLabel('Address of the calendar').fill(radicale.collectionUrl);
        await dialogOf(page)
          .getByLabel('Account')
          .fill(radicale.username ?? '');
        await dialogOf(page)
          .getByLabel('Password')
          .fill(radicale.password ?? '');
        await dialogOf(page).getByRole('button', { name: 'Check and connect' }).click();
        await dialogOf(page).waitFor({ state: 'detached' });
      };
      await connect();
      await radicale.stop();
      const body = { title: 'Haircut', scheduled_at: daysAhead(1).toISOString() };
      await request('POST', '/appointments', { key: store.key, body });
      await eventually(
        () => admin(['calendar', 'show', '--store', store.id]),
        ({ appointments_failing }) => appointments_failing === 1,
      );
      await page.reload();
      const badge = part(page, 'Calendar').getByText('The last attempt failed', { exact: true });
      await badge.waitFor();
      expect(await badge.getAttribute('data-kind')).toBe('warn');
      await part(page, 'Calendar').getByText('Appointments that are tried again: 1.').waitFor();
      expect(await violations(page)).toEqual([]);

      await radicale.start();
      await part(page, 'Calendar').getByRole('button', { name: 'Change' }).click();
      await connect();
      await badge.waitFor({ state: 'detached' });
      await part(page, 'Calendar').getByText('Appointments on their way').waitFor({ state: 'detached' });
    } finally {
      await radicale.dispose();
    }
  });

  test('the secret address of a feed is shown, and a new one replaces it', async () => {
    const { page, loginUrl, store } = await newPerson();
    const { feed_url } = await admin(['calendar', 'connect', '--store', store.id, '--provider', 'feed']);
    await open(page, loginUrl, path);
    await page.getByText(feed_url).waitFor();
    await part(page, 'Calendar').getByRole('button', { name: 'New address' }).click();
    await dialogOf(page).getByRole('button', { name: 'New address' }).click();
    await page.getByText(feed_url).waitFor({ state: 'detached' });
    await eventually(
      async () => (await fetch(feed_url)).status,
      (status) => status === 404,
    );
  });

  test.each([390, 1280])('a notice does not cover the menu of the person at a width of %d px', async (width) => {
    const { page, loginUrl, store } = await newPerson('owner', { viewport: { width, height: 800 } });
    await admin(['calendar', 'connect', '--store', store.id, '--provider', 'feed']);
    await open(page, loginUrl, path);
    await part(page, 'Calendar').getByRole('button', { name: 'Disconnect' }).click();
    await dialogOf(page).getByRole('button', { name: 'Disconnect' }).click();
    const notice = page.getByRole('dialog').filter({ hasText: 'The calendar is disconnected' });
    const shown = await notice.boundingBox();
    const menu = await page.getByRole('button', { name: /Owner/ }).boundingBox();
    if (!shown || !menu) throw new Error('the notice or the menu is not shown');
    const apart =
      shown.x >= menu.x + menu.width ||
      menu.x >= shown.x + shown.width ||
      shown.y >= menu.y + menu.height ||
      menu.y >= shown.y + shown.height;
    expect(apart).toBe(true);
  });

  test('a model is tried before it is connected, and the owner reads what is wrong, switches it on, and disconnects it', async () => {
    let status = 401;
    const model = createServer((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      const message = { role: 'assistant', content: 'Hello' };
      const choices = [{ index: 0, finish_reason: 'stop', message }];
      response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices }));
    });
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    try {
      const { page, loginUrl, store } = await newPerson('owner', { reducedMotion: 'reduce' });
      const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
      await open(page, loginUrl, path);
      const ai = part(page, 'Artificial intelligence');
      await ai.getByText('Not connected').waitFor();
      await ai.getByRole('button', { name: 'Connect a model' }).press('Enter');
      await inDialog(page);
      await dialogOf(page).getByLabel('Kind').selectOption('openai_compatible');
      await dialogOf(page).getByRole('button', { name: 'Check and connect' }).click();
      expect(await dialogOf(page).getByText('This is needed.').count()).toBe(2);
      await dialogOf(page).getByLabel('Address').fill(url);
      await dialogOf(page).getByLabel('Key').fill('sk-planted');
      await dialogOf(page).getByLabel('Model').fill('qwen3:8b');
      await dialogOf(page).getByRole('button', { name: 'Check and connect' }).click();
      await dialogOf(page).getByText('The provider does not accept this key.').waitFor();
      expect(await violations(page)).toEqual([]);
      status = 200;
      await dialogOf(page).getByRole('button', { name: 'Check and connect' }).click();
      await ai.getByText('qwen3:8b').waitFor();
      await ai.getByRole('button', { name: 'Switch on' }).click();
      await ai.getByText('Answers customers').waitFor();
      await ai.getByText('0 of 500').waitFor();
      await ai.getByRole('button', { name: 'Limits of a day' }).click();
      await dialogOf(page).getByLabel('Calls to models a day').fill('many');
      await dialogOf(page).getByRole('button', { name: 'Save' }).click();
      await dialogOf(page).getByText('Write a number, such as 500.').waitFor();
      await dialogOf(page).getByLabel('Calls to models a day').fill('20');
      await dialogOf(page).getByLabel('Tokens a day').fill('300000');
      await dialogOf(page).getByRole('button', { name: 'Save' }).click();
      await ai.getByText('0 of 20').waitFor();
      await ai.getByText('0 of 300,000').waitFor();
      await ai.getByRole('button', { name: 'What a person confirms' }).click();
      await dialogOf(page).getByLabel('Cancel an appointment').check();
      await dialogOf(page).getByLabel('Book an appointment').check();
      expect(await violations(page)).toEqual([]);
      await dialogOf(page).getByRole('button', { name: 'Save' }).click();
      await ai.getByText('Book an appointment · Cancel an appointment').waitFor();
      expect(await askFrom(page, 'GET', '/ai')).toMatchObject({ confirm: ['book', 'cancel'] });
      expect(await page.content()).not.toContain('sk-planted');
      expect(await violations(page)).toEqual([]);
      expect(await tooNarrow(page)).toEqual([]);
      expect((await admin(['ai', 'show', '--store', store.id])).data).toMatchObject([{ url, model: 'qwen3:8b' }]);

      await ai.getByRole('button', { name: /^Disconnect/ }).click();
      await dialogOf(page).getByRole('button', { name: 'Disconnect' }).click();
      await ai.getByText('Not connected').waitFor();
    } finally {
      model.close();
      model.closeAllConnections();
    }
  });

  test('a manager sees the connections and reads who may change them', async () => {
    const { page, loginUrl } = await newPerson('manager');
    await open(page, loginUrl, path);
    await part(page, 'Calendar').getByText('Only an owner of the store can change this.').waitFor();
    expect(await page.getByRole('button', { name: 'Connect' }).count()).toBe(0);
  });

  test('axe finds nothing on the screen of connections, and nothing is cut off at any width', async () => {
    const { page, loginUrl, store } = await newPerson('owner', { reducedMotion: 'reduce' });
    await admin(['channel', 'connect', '--store', store.id, '--provider', 'sandbox']);
    await admin(['calendar', 'connect', '--store', store.id, '--provider', 'feed']);
    await open(page, loginUrl, path);
    await page.getByRole('link', { name: 'Open the telephone' }).waitFor();
    await page.getByText('Secret address').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    for (const [name, kind] of [
      ['Messages', 'whatsapp_cloud'],
      ['Calendar', 'google'],
    ] as const) {
      await part(page, name).getByRole('button', { name: 'Change' }).click();
      // A person's choice begins with the focus, from which on a form knows what has changed.
      await dialogOf(page).getByLabel('Kind').focus();
      await dialogOf(page).getByLabel('Kind').selectOption(kind);
      expect(await violations(page)).toEqual([]);
      expect(await tooNarrow(page)).toEqual([]);
      await dialogOf(page).getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Discard changes' }).click();
      // The question is a dialog in the dialog, and both go.
      await expect.poll(() => dialogOf(page).count()).toBe(0);
    }
  });
});
