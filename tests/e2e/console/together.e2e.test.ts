import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { signInAs } from '../people.ts';
import { addresses, daysAhead, newStore, request } from '../platform.ts';
import { inBrowser, type TestStore } from './browser.ts';
import { composer, connectSandbox, messageOf, rowOf, send, thread } from './conversations.ts';
import { askFrom, newPageOf } from './signed-in.ts';

let store: TestStore;
let sandbox: Awaited<ReturnType<typeof connectSandbox>>;
let cookies: readonly [string, string];

/** The browsers of two people, at the same screen. */
const newPair = async (path: string): Promise<[Page, Page]> => [
  await newPageOf(cookies[0], path),
  await newPageOf(cookies[1], path),
];
const go = (page: Page, path: string) => page.goto(`${addresses.console_url}${path}`);
const gone = (locator: Locator) => locator.waitFor({ state: 'detached' });

beforeAll(async () => {
  store = await newStore();
  sandbox = await connectSandbox(store);
  cookies = [await signInAs(store.id, 'owner'), await signInAs(store.id, 'owner')];
});

inBrowser(() => {
  test('what one person does, the other sees on every screen, without a reload', async () => {
    const { id } = await sandbox.newCustomer('Helena', 'Hello');
    const seller = { name: 'Rui Alves', whatsapp_id: '5511900000077' };
    const { id: sellerId } = (await request('POST', '/sellers', { key: store.key, body: seller })).body;
    const [one, other] = await newPair(`/inbox/${id}`);
    const change = (method: string, path: string, body?: object) => askFrom(one, method, path, body);
    const see = (path: string, ready: Locator) => go(other, path).then(() => ready.waitFor());

    await messageOf(other, 'Hello').waitFor();
    await change('PATCH', `/leads/${id}`, { seller_id: sellerId });
    await other.getByRole('button', { name: 'Seller: Rui Alves' }).waitFor();
    await change('PATCH', `/leads/${id}`, { ai_paused_until: daysAhead(1).toISOString() });
    await other.getByRole('button', { name: 'The AI is paused' }).waitFor();
    await change('PATCH', `/leads/${id}`, { name: 'Helena Prado', status: 'lost' });
    await rowOf(other, id).getByText('Helena Prado').waitFor();
    await other.getByRole('button', { name: 'Status: Lost' }).waitFor();
    await send(one, 'I take this one');
    await messageOf(other, 'I take this one').waitFor();

    await see('/leads', other.getByRole('link', { name: 'Helena Prado' }));
    await change('POST', '/leads', { name: 'Bruno Dias', customer_phone: '5511900000078' });
    await other.getByRole('link', { name: 'Bruno Dias' }).waitFor();

    await see('/calendar?view=agenda', other.getByText('No appointments in these days'));
    const visit = { title: 'Haircut', scheduled_at: daysAhead(1).toISOString(), lead_id: id };
    const appointment = await change('POST', '/appointments', visit);
    const row = other.getByRole('listitem').filter({ hasText: 'Haircut' });
    await row.waitFor();
    const before = await row.textContent();
    await change('PATCH', `/appointments/${appointment.id}`, {
      scheduled_at: daysAhead(2).toISOString(),
      duration_minutes: 30,
    });
    await expect.poll(() => row.textContent()).not.toBe(before);
    await change('PATCH', `/appointments/${appointment.id}`, { status: 'cancelled' });
    await row.getByText('Cancelled').waitFor();

    await see('/follow-ups', other.getByRole('heading', { name: 'Nothing is planned' }));
    const plan = { lead_id: id, message: 'Shall we go on?', delay_minutes: 600 };
    const followup = await change('POST', '/followups/scheduled', plan);
    await other.getByRole('row', { name: /Shall we go on/ }).waitFor();
    await change('PATCH', `/followups/scheduled/${followup.id}`, { message: 'Still there?' });
    await other.getByRole('row', { name: /Still there/ }).waitFor();
    await change('DELETE', `/followups/scheduled/${followup.id}`);
    await other.getByRole('heading', { name: 'Nothing is planned' }).waitFor();

    await see('/agents', other.getByRole('heading', { name: 'No agents yet' }));
    const agent = await change('POST', '/agents', { name: 'Win back', priority: 1 });
    await other.getByRole('link', { name: 'Win back' }).waitFor();
    await change('PATCH', `/agents/${agent.id}`, { name: 'Come back' });
    await other.getByRole('link', { name: 'Come back' }).waitFor();

    await see('/knowledge', other.getByRole('heading', { name: 'No documents yet' }));
    const text = { name: 'hours.md', title: 'Hours', content: 'From nine to five.', locale: 'en-US' };
    await change('POST', '/knowledge/documents', text);
    await other.getByRole('row', { name: /Hours.*From nine to five/ }).waitFor();
    await change('POST', '/knowledge/documents', { ...text, content: 'From ten to six.' });
    await other.getByRole('row', { name: /Hours.*From ten to six/ }).waitFor();

    await see('/team/sellers', other.getByRole('row', { name: /^Rui Alves.*Active/ }));
    await change('PATCH', `/sellers/${sellerId}`, { name: 'Rui Lima' });
    await other.getByRole('row', { name: /^Rui Lima/ }).waitFor();

    await see('/integrations/events', other.getByRole('link', { name: 'seller.updated' }).first());
    await change('PATCH', `/leads/${id}`, { status: 'converted' });
    await other.getByRole('button', { name: 'Show new events' }).click();
    await expect.poll(() => other.locator('tbody th code').first().textContent()).toBe('lead.updated');
  });

  test('two people who answer the same customer at the same moment both see both, in the same order', async () => {
    const { id } = await sandbox.newCustomer('Helena', 'Hello');
    const pair = await newPair(`/inbox/${id}`);
    for (const page of pair) await messageOf(page, 'Hello').waitFor();
    for (const round of [1, 2, 3]) {
      await Promise.all(pair.map((page, at) => composer(page).fill(`Answer ${round} of person ${at + 1}`)));
      await Promise.all(pair.map((page) => page.keyboard.press('Enter')));
    }
    for (const page of pair) {
      await expect.poll(() => page.getByRole('article').getByText('Sent', { exact: true }).count()).toBe(6);
    }
    const stored = (await sandbox.messages(id)).map(({ body }) => body);
    expect(stored).toHaveLength(7);
    for (const page of pair) await expect.poll(() => thread(page)).toEqual(stored);
  });

  test('what was written offline in two tabs is sent once each, also when one of them has been closed', async () => {
    const { id } = await sandbox.newCustomer('Helena', 'Hello');
    const first = await newPageOf(cookies[0], `/inbox/${id}`);
    const second = await first.context().newPage();
    await go(second, `/inbox/${id}`);
    for (const tab of [first, second]) await messageOf(tab, 'Hello').waitFor();
    await first.context().setOffline(true);
    await second.getByText('Reconnecting…').waitFor();
    await send(first, 'Written in the first tab');
    await send(second, 'Written in the second tab');
    await messageOf(second, 'Written in the second tab').waitFor();
    await first.close();
    await second.context().setOffline(false);
    await gone(second.getByText('Reconnecting…'));
    await second.reload();
    for (const text of ['Written in the first tab', 'Written in the second tab']) {
      await messageOf(second, text).getByText('Sent', { exact: true }).waitFor();
    }
    const written = (await sandbox.messages(id)).map(({ body }) => body).filter((body) => body.startsWith('Written'));
    expect(written.sort()).toEqual(['Written in the first tab', 'Written in the second tab']);
  });
});
