import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { admin, eventually, request } from '../platform.ts';
import { inBrowser, newPerson, open, type TestStore, tabTo, title, tooNarrow, violations } from './browser.ts';

const path = '/operations';
const dialogOf = (page: Page) => page.getByRole('alertdialog');

/** Follow-ups of a store without a channel: they wait until someone acts. */
async function waitingFollowups(store: TestStore, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const customer_phone = `55119${Math.floor(10_000_000 + Math.random() * 89_999_999)}`;
    const lead = await request('POST', '/leads', { key: store.key, body: { name: 'Ana', customer_phone } });
    const body = { lead_id: lead.body.id, message: 'Olá', delay_minutes: 0 };
    const made = await request('POST', '/followups/scheduled', { key: store.key, body });
    expect(made.status, made.text).toBe(201);
    ids.push(made.body.id);
  }
  return ids;
}
const statusOf = async (store: TestStore, id: string) =>
  (await request('GET', `/followups/scheduled/${id}`, { key: store.key })).body.status;
const rows = (page: Page) => page.getByRole('row', { name: /No channel is connected/ });
/** Opens the screen when everything that is to wait does. */
async function openWaiting(page: Page, store: TestStore, loginUrl: string, count: number, search = ''): Promise<void> {
  await eventually(
    () => admin(['waiting', 'list', '--store', store.id, '--reason', 'not_connected']),
    ({ data }) => data.length === count,
  );
  await open(page, loginUrl, `${path}${search}`);
  await title(page, 'Operations').waitFor();
  await expect.poll(() => rows(page).count()).toBe(count);
}

inBrowser(() => {
  test('an event that waits for a webhook leads to its endpoint', async () => {
    const { page, loginUrl, store } = await newPerson();
    const url = 'https://webhooks.invalid/events';
    await request('POST', '/webhooks/endpoints', { key: store.key, body: { url, event_types: ['seller.created'] } });
    await request('POST', '/sellers', { key: store.key, body: { name: 'Bia', whatsapp_id: '5511912345678' } });
    await eventually(
      () => admin(['waiting', 'list', '--store', store.id, '--kind', 'webhook_delivery']),
      ({ data }) => data.length === 1,
    );
    await open(page, loginUrl, path);
    await page.getByRole('button', { name: /^Actions for Webhook/ }).click();
    await page.getByRole('menuitem', { name: 'Open the endpoint' }).click();
    await title(page, url).waitFor();
  });

  test('an owner sees what would be given up, and then gives it up, by keyboard alone', async () => {
    const { page, loginUrl, store } = await newPerson();
    const [first = '', second = ''] = await waitingFollowups(store, 2);
    await openWaiting(page, store, loginUrl, 2);
    await tabTo(page, 'checkbox', `Choose Follow-up ${first}`);
    await page.keyboard.press('Space');
    await page.getByText('Chosen: 1').waitFor();
    await page.getByRole('button', { name: 'Give up' }).focus();
    await page.keyboard.press('Enter');
    await dialogOf(page).getByText('Follow-ups that will be cancelled: 1').waitFor();
    expect(await statusOf(store, first)).toBe('pending');
    await tabTo(page, 'button', 'Give up');
    await page.keyboard.press('Enter');
    await dialogOf(page).getByRole('heading', { name: 'Done' }).waitFor();
    await dialogOf(page).getByText('Follow-ups: 1').waitFor();
    await tabTo(page, 'button', 'Close');
    await page.keyboard.press('Enter');
    await dialogOf(page).waitFor({ state: 'detached' });
    await eventually(
      () => rows(page).count(),
      (count) => count === 1,
    );
    expect([await statusOf(store, first), await statusOf(store, second)]).toEqual(['cancelled', 'pending']);
  });

  test('all of a kind is given up at once, and then nothing waits', async () => {
    const { page, loginUrl, store } = await newPerson();
    const ids = await waitingFollowups(store, 3);
    await openWaiting(page, store, loginUrl, 3, '?kind=followup');
    await page.getByRole('button', { name: 'Give up' }).click();
    await dialogOf(page).getByText('Follow-ups that will be cancelled: 3').waitFor();
    await dialogOf(page).getByRole('button', { name: 'Give up' }).click();
    await dialogOf(page).getByText('Follow-ups: 3').waitFor();
    await dialogOf(page).getByRole('button', { name: 'Close' }).click();
    await page.getByRole('heading', { name: 'Nothing waits' }).waitFor();
    for (const id of ids) expect(await statusOf(store, id)).toBe('cancelled');
  });

  test('one is retried from its menu, and still says why it waits', async () => {
    const { page, loginUrl, store } = await newPerson();
    const [id] = await waitingFollowups(store, 1);
    await openWaiting(page, store, loginUrl, 1);
    await page.getByRole('button', { name: `Actions for Follow-up ${id}` }).click();
    await page.getByRole('menuitem', { name: 'Retry' }).click();
    await dialogOf(page).getByText('Follow-ups that will be tried now: 1').waitFor();
    await dialogOf(page).getByRole('button', { name: 'Retry' }).click();
    await dialogOf(page).getByRole('heading', { name: 'A new attempt is under way' }).waitFor();
    await dialogOf(page).getByText('Follow-ups: 1').waitFor();
    await dialogOf(page).getByRole('button', { name: 'Close' }).click();
    await eventually(
      () => rows(page).count(),
      (count) => count === 1,
    );
  });

  test('a manager finds no way to the operations', async () => {
    const { page, loginUrl } = await newPerson('manager');
    await open(page, loginUrl, '/integrations/events');
    await title(page, 'Event log').waitFor();
    expect(await page.getByRole('link', { name: 'Operations' }).count()).toBe(0);
  });

  test('axe finds nothing on the screen of operations, and nothing is cut off at any width', async () => {
    const { page, loginUrl, store } = await newPerson('owner', { reducedMotion: 'reduce' });
    await waitingFollowups(store, 1);
    await openWaiting(page, store, loginUrl, 1, '?kind=followup');
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    await page.getByRole('button', { name: 'Give up' }).click();
    await dialogOf(page).getByText('Follow-ups that will be cancelled: 1').waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
