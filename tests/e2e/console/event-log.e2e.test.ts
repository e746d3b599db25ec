import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, request } from '../platform.ts';
import { inBrowser, newPerson, open, type TestStore, tabTo, title, tooNarrow, violations } from './browser.ts';

const path = '/integrations/events';
const newLead = async (store: TestStore, name: string): Promise<string> => {
  const customer_phone = `55119${Math.floor(10_000_000 + Math.random() * 89_999_999)}`;
  const answer = await request('POST', '/leads', { key: store.key, body: { name, customer_phone } });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.id;
};
/** Until the feed has this number of events. */
const settled = (store: TestStore, count: number) =>
  eventually(
    async () => (await request('GET', '/events?limit=200', { key: store.key })).body.data.length,
    (now) => now >= count,
  );
const types = (page: Page) => page.locator('tbody th code').allTextContents();

inBrowser(() => {
  test('the newest event stands first, and opens with everything that programs get, by keyboard alone', async () => {
    const { page, loginUrl, store } = await newPerson('manager');
    const hostile = '<img src=x onerror=alert(1)>';
    const id = await newLead(store, hostile);
    await request('PATCH', `/leads/${id}`, { key: store.key, body: { email: 'ana@example.com' } });
    await settled(store, 2);
    await open(page, loginUrl, path);
    await title(page, 'Event log').waitFor();
    await page.getByRole('link', { name: 'lead.updated' }).waitFor();
    expect(await types(page)).toEqual(['lead.updated', 'lead.created']);
    await tabTo(page, 'link', 'lead.created');
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog');
    await drawer.getByText(`"name": "${hostile}"`).waitFor();
    await tabTo(page, 'button', 'Copy JSON');
    await page.keyboard.press('Enter');
    await drawer.getByRole('button', { name: 'Copied' }).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
  });

  test('the log is read back to its beginning, without a gap', async () => {
    const { page, loginUrl, store } = await newPerson();
    for (let lead = 1; lead <= 60; lead += 1) await newLead(store, `Lead ${lead}`);
    await settled(store, 60);
    await open(page, loginUrl, path);
    await page.getByRole('button', { name: 'Show more' }).click();
    await eventually(
      () => page.locator('tbody tr').count(),
      (count) => count === 60,
    );
    const numbers = await page.locator('tbody td[data-numeric]').allTextContents();
    expect(numbers.map(Number)).toEqual(Array.from({ length: 60 }, (_, index) => 60 - index));
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
  });

  test('a type and an id leave only their events, and a wrong id is explained', async () => {
    const { page, loginUrl, store } = await newPerson();
    const id = await newLead(store, 'Ana');
    await newLead(store, 'Rui');
    await request('PATCH', `/leads/${id}`, { key: store.key, body: { name: 'Ana Lima' } });
    await settled(store, 3);
    await open(page, loginUrl, path);
    await page.getByRole('link', { name: 'lead.updated' }).waitFor();
    await page.getByLabel('Type', { exact: true }).selectOption('lead.created');
    await eventually(
      () => types(page),
      (shown) => shown.length === 2,
    );
    const entity = page.getByRole('textbox');
    await entity.fill('Ana');
    await entity.press('Enter');
    await page.getByText('That is not an id').waitFor();
    await entity.fill(id);
    await entity.press('Enter');
    await eventually(
      () => types(page),
      (shown) => shown.length === 1,
    );
    await page.getByLabel('Type', { exact: true }).selectOption('document.imported');
    await page.getByText('Nothing of this kind happened').waitFor();
    await page.getByRole('button', { name: 'Show all events' }).last().click();
    await eventually(
      () => types(page),
      (shown) => shown.length === 3,
    );
  });

  test('axe finds nothing in the event log, and nothing is cut off at any width', async () => {
    const { page, loginUrl, store } = await newPerson('owner', { reducedMotion: 'reduce' });
    const id = await newLead(store, 'x'.repeat(200));
    await settled(store, 1);
    await open(page, loginUrl, `${path}?entity=${id}`);
    await page.getByRole('link', { name: 'lead.created' }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    await page.getByRole('link', { name: 'lead.created' }).click();
    await page.getByRole('button', { name: 'Copy JSON' }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
  });
});
