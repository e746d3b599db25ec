import { startWebhookReceiver, type WebhookReceiver } from '@mostrador/testing/providers/webhook-receiver/server';
import type { Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { eventually, type Json, request } from '../platform.ts';
import { inBrowser, keyTo, newPerson, open, type TestStore, tabTo, title, tooNarrow, violations } from './browser.ts';

const receivers: WebhookReceiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

async function newReceiver(): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver();
  receivers.push(receiver);
  return receiver;
}

const list = '/integrations/webhooks';
const dialogOf = (page: Page) => page.getByRole('alertdialog');
const call = async (store: TestStore, method: string, path: string, body?: object): Promise<Json> => {
  const answer = await request(method, path, { key: store.key, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
};
const newLead = (store: TestStore, name: string) =>
  call(store, 'POST', '/leads', {
    name,
    customer_phone: `55119${Math.floor(10_000_000 + Math.random() * 89_999_999)}`,
  });

/** A store with an endpoint at a receiver, and the screen of that endpoint. */
async function stage(settings: object = {}) {
  const person = await newPerson();
  const receiver = await newReceiver();
  const endpoint = await call(person.store, 'POST', '/webhooks/endpoints', { url: receiver.url, ...settings });
  receiver.trust(endpoint.secret);
  return { ...person, receiver, endpoint, path: `${list}/${endpoint.id}` };
}

inBrowser(() => {
  test('an owner adds an endpoint, tests it, pauses it, takes the pause back and deletes it, by keyboard alone', async () => {
    const { page, loginUrl, store } = await newPerson();
    const receiver = await newReceiver();
    await open(page, loginUrl, list);
    await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor();
    await tabTo(page, 'button', 'Add endpoint');
    await page.keyboard.press('Enter');
    await dialogOf(page).waitFor();
    await page.keyboard.type('shop.example.com');
    await page.keyboard.press('Enter');
    await dialogOf(page).getByText('Give a full address').waitFor();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(receiver.url);
    await page.keyboard.press('Enter');
    await dialogOf(page).getByText('only time that the secret is shown').waitFor();
    const secret = (await dialogOf(page).locator('code').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    receiver.trust(secret);
    await page.keyboard.press('Escape');
    expect(await dialogOf(page).isVisible()).toBe(true);
    await tabTo(page, 'button', 'I have saved it');
    await page.keyboard.press('Enter');
    await dialogOf(page).waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);

    await tabTo(page, 'link', receiver.url);
    await page.keyboard.press('Enter');
    await title(page, receiver.url).waitFor();
    await tabTo(page, 'button', 'Send a test');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('The endpoint accepted it').waitFor();
    expect(receiver.received.map(({ event }) => event.type)).toEqual(['webhook.test']);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await tabTo(page, 'button', /^Actions for/);
    await page.keyboard.press('Enter');
    await keyTo(page, 'ArrowDown', page.getByRole('menuitem', { name: 'Pause' }));
    await page.keyboard.press('Enter');
    await page.getByText('Paused. Events are kept.').first().waitFor();
    const status = async () => (await call(store, 'GET', '/webhooks/endpoints')).data[0].status;
    await eventually(status, (now) => now === 'paused');
    await page.getByRole('button', { name: 'Undo' }).focus();
    await page.keyboard.press('Enter');
    await eventually(status, (now) => now === 'enabled');

    await tabTo(page, 'button', /^Actions for/);
    await page.keyboard.press('Enter');
    await keyTo(page, 'End', page.getByRole('menuitem', { name: 'Delete' }));
    await page.keyboard.press('Enter');
    await dialogOf(page).getByText('Delete this endpoint?').waitFor();
    await tabTo(page, 'button', 'Delete');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor();
    expect((await call(store, 'GET', '/webhooks/endpoints')).data).toEqual([]);
  });

  test('a delivery that fails says why and when it is tried again, and is sent again by hand', async () => {
    const { page, loginUrl, store, receiver, endpoint, path } = await stage();
    let status = 410;
    receiver.answer(() => ({ status, body: '<img src=x onerror="document.title=1">' }));
    await newLead(store, 'Ana');
    await eventually(
      async () => (await call(store, 'GET', `/webhooks/endpoints/${endpoint.id}`)).status,
      (now) => now === 'disabled',
    );
    await open(page, loginUrl, path);
    await page.getByText('It answered 410 (gone), so sending was stopped').waitFor();
    status = 204;
    await tabTo(page, 'button', 'Resume');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /lead.created Delivered/ }).waitFor();
    await tabTo(page, 'link', 'lead.created');
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog');
    await drawer.getByText('The endpoint answered 410').waitFor();
    await drawer.getByText('<img src=x onerror').first().waitFor();
    const before = receiver.received.length;
    await tabTo(page, 'button', 'Send again');
    await page.keyboard.press('Enter');
    await eventually(
      async () => receiver.received.length,
      (count) => count > before,
    );
    expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(1);
  });

  test('events are sent again from a number on, and the address of the page keeps the progress', async () => {
    const { page, loginUrl, store, receiver, path } = await stage();
    for (const name of ['Ana', 'Rui', 'Eva']) await newLead(store, name);
    await eventually(
      async () => receiver.received.length,
      (count) => count === 3,
    );
    await open(page, loginUrl, path);
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Send events again' }).click();
    await dialogOf(page).getByLabel('Which ones').selectOption('all');
    await dialogOf(page).getByLabel('From number').fill('two');
    await dialogOf(page).getByRole('button', { name: 'Send events again' }).click();
    await dialogOf(page).getByText('Give the number of an event').waitFor();
    await dialogOf(page).getByLabel('From number').fill('2');
    await dialogOf(page).getByRole('button', { name: 'Send events again' }).click();
    await page.getByText('Chosen: 2 · delivered: 2 · given up: 0 · waiting: 0').waitFor();
    expect(receiver.received.map(({ event }) => event.sequence)).toEqual([1, 2, 3, 2, 3]);
    await page.reload();
    await page.getByRole('heading', { name: 'The events were sent again' }).waitFor();
  });

  test('a secret is replaced, and the new one is shown once', async () => {
    const { page, loginUrl, path, endpoint } = await stage();
    await open(page, loginUrl, path);
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Replace secret' }).click();
    await dialogOf(page).getByRole('button', { name: 'Replace secret' }).click();
    await dialogOf(page).getByText('only time that the secret is shown').waitFor();
    const secret = await dialogOf(page).locator('code').textContent();
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(endpoint.secret);
  });

  test('an address that the platform refuses is explained beside it', async () => {
    const { page, loginUrl, store } = await newPerson();
    await open(page, loginUrl, list);
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await dialogOf(page).getByLabel('Address').fill('https://10.0.0.1/hook');
    await dialogOf(page).getByRole('button', { name: 'Add endpoint' }).click();
    await dialogOf(page).getByText('leads to the public internet').waitFor();
    expect((await call(store, 'GET', '/webhooks/endpoints')).data).toEqual([]);
  });

  test('nothing of webhooks is shown to a seller', async () => {
    const { page, loginUrl } = await newPerson('seller');
    await open(page, loginUrl, list);
    await page.getByText('This could not be loaded').waitFor();
    expect(await page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
  });

  const hostile = `<img src=x onerror=alert(1)>\u202eabc\u200b ${'x'.repeat(400)}`;

  test('axe finds nothing on the screens of webhooks, and a hostile note breaks nothing at any width', async () => {
    const { page, loginUrl, receiver, path, store } = await stage({ description: hostile });
    receiver.answer(() => ({ status: 500 }));
    await newLead(store, 'Ana');
    await open(page, loginUrl, list);
    await page.getByRole('link', { name: receiver.url }).waitFor();
    await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await dialogOf(page).waitFor();
    await page.getByRole('checkbox', { name: /every type/ }).click();
    await page.getByText('More settings').click();
    expect(await violations(page)).toEqual([]);
    await page.goto(`${page.url().split(list)[0]}${path}`);
    await page.getByText('The endpoint answered 500').first().waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    await page.getByRole('link', { name: 'lead.created' }).click();
    await page.getByRole('dialog').getByText('The endpoint answered 500').first().waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
