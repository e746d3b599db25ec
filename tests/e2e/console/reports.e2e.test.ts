import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { request } from '../platform.ts';
import { inBrowser, newPerson, open, type TestStore, tabTo, title, tooNarrow, violations } from './browser.ts';
import { connectSandbox } from './conversations.ts';

async function addLeads({ key }: TestStore, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const body = { name: `Lead ${made}`, customer_phone: `551190000000${made}` };
    expect((await request('POST', '/leads', { key, body })).status).toBe(201);
  }
}

inBrowser(() => {
  test('a manager reads a report, chooses another period and downloads it, by keyboard alone', async () => {
    const { page, loginUrl, store } = await newPerson('manager');
    await addLeads(store, 3);
    await open(page, loginUrl, '/reports');
    await title(page, 'Reports').waitFor();
    const figure = page.getByRole('definition').getByText('3', { exact: true });
    await figure.waitFor();
    await page.getByRole('figure').filter({ hasText: 'New customers' }).waitFor();
    const rows = () => page.getByRole('table', { name: 'The same in numbers' }).getByRole('row').count();
    expect(await rows()).toBe(31);

    await tabTo(page, 'button', '7 days');
    await page.keyboard.press('Enter');
    await expect.poll(rows).toBe(8);
    expect(page.url()).toContain('preset=7d');
    await page.getByRole('combobox', { name: 'Divided into' }).selectOption('month');
    await expect.poll(rows).toBeLessThan(4);

    await tabTo(page, 'link', 'Download as CSV');
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    const table = readFileSync((await download.path()) as string, 'utf8');
    expect(table).toContain('leads_created');
  });

  test('a seller has no reports', async () => {
    const { page, loginUrl } = await newPerson('seller');
    await open(page, loginUrl, '/reports');
    await page.getByText('Your role in the store does not allow this.').waitFor();
    expect(await page.getByRole('link', { name: 'Reports' }).count()).toBe(0);
  });

  test('axe finds nothing, and nothing is cut off on a telephone', async () => {
    const { page, loginUrl, store } = await newPerson('owner', { reducedMotion: 'reduce' });
    const sandbox = await connectSandbox(store);
    const { name, phone } = await sandbox.newCustomer('Helena', 'Hello');
    const ad = { source_type: 'ad', source_id: '1', source_url: 'https://fb.me/cut', headline: 'H'.repeat(900) };
    await sandbox.write(name, phone, 'How much is it?', { referral: ad });
    await open(page, loginUrl, '/reports?preset=7d');
    await page.getByRole('table', { name: 'The same in numbers' }).waitFor();
    const ads = page.getByRole('table', { name: 'By ad or post' });
    // Helena had written before.
    expect(await ads.getByRole('row').nth(1).textContent()).toMatch(/HHH.*110$/);
    expect(await ads.getByRole('link', { name: ad.headline }).getAttribute('href')).toBe(ad.source_url);
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
  });
});
