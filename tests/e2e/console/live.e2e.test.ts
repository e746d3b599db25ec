import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { addresses, admin, eventually, request } from '../platform.ts';
import { inBrowser, invitePerson, newPage, newPerson, open, takeClock, title } from './browser.ts';
import { composer, connectSandbox, messageOf, rowOf, send } from './conversations.ts';

/** Two people of a store who look at the same lead. */
async function newPair(options?: BrowserContextOptions) {
  const { store, page, loginUrl } = await newPerson('owner', options);
  const sandbox = await connectSandbox(store);
  const customer = await sandbox.newCustomer('Helena', 'Hello');
  const other = await newPage();
  await open(page, loginUrl, `/inbox/${customer.id}`);
  await open(other, (await invitePerson(store, 'owner', 'Bia Lima')).loginUrl, `/inbox/${customer.id}`);
  for (const one of [page, other]) await messageOf(one, 'Hello').waitFor();
  return { page, other, sandbox, customer, store };
}

const isStream = (url: string) => url.includes('/platform/v1/events/stream');

/** What the pages of a browser ask the server for. */
function requestsOf(context: BrowserContext): string[] {
  const requests: string[] = [];
  context.on('request', (request) => requests.push(request.url()));
  return requests;
}

inBrowser(() => {
  test('what one person does the other sees, and what came while they write stands above what they write', async () => {
    const { page, other, sandbox, customer, store } = await newPair();
    await composer(other).fill('I would like to');
    await send(page, 'I take this one');
    await messageOf(other, 'I take this one').getByText('Sent', { exact: true }).waitFor();
    await other.getByRole('region', { name: 'Write' }).getByText('I take this one').waitFor();
    expect(await composer(other).inputValue()).toBe('I would like to');
    await sandbox.write(customer.name, customer.phone, 'Thank you');
    for (const one of [page, other]) await messageOf(one, 'Thank you').waitFor();
    await page.getByRole('button', { name: /^Status: / }).click();
    await page.getByRole('menuitemradio', { name: 'Converted' }).click();
    await other.getByRole('button', { name: 'Status: Converted' }).waitFor();

    await admin(['store', 'update', '--store', store.id, '--monthly-budget', '0']);
    for (const one of [page, other]) await one.getByText('budget for messages of this month is used up').waitFor();
    await send(page, 'Still here');
    await messageOf(other, 'Still here').waitFor();
  });

  test('a page that was offline says so, and then shows what it missed', async () => {
    // With a locale the browser is one that has not loaded the other screens.
    const { page, sandbox, customer } = await newPair({ locale: 'en-US' });
    await page.context().setOffline(true);
    await page.getByText('Reconnecting…').waitFor();
    await sandbox.write(customer.name, customer.phone, 'While you were away');
    await send(page, 'Written offline');
    await messageOf(page, 'Written offline').waitFor();
    await page.context().setOffline(false);
    await messageOf(page, 'While you were away').waitFor();
    await messageOf(page, 'Written offline').getByText('Sent', { exact: true }).waitFor();
    await page.getByText('Reconnecting…').waitFor({ state: 'detached' });
    const written = (await sandbox.messages(customer.id)).filter(({ body }) => body === 'Written offline');
    expect(written).toHaveLength(1);

    // A search without an answer shows no rows of another one, and a screen that is not there yet leaves the page in place.
    await page.context().setOffline(true);
    const refused = page.getByText('The server does not answer').first();
    await page.getByRole('searchbox', { name: 'Search name or phone' }).fill('no lead has this name');
    await refused.waitFor();
    expect(await page.locator('[data-lead]').count()).toBe(0);
    await page.getByRole('link', { name: 'Knowledge' }).click();
    await page.getByRole('searchbox', { name: 'Search name or phone' }).waitFor({ state: 'detached' });
    await refused.waitFor();
    await page.getByRole('link', { name: 'Inbox' }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await title(page, 'Knowledge').waitFor();
  });

  test('in each of eight tabs a person can work, they have one connection, and when its tab closes another takes over without a gap', async () => {
    const { store, page, loginUrl } = await newPerson();
    const sandbox = await connectSandbox(store);
    const customer = await sandbox.newCustomer('Helena', 'Hello');
    const context = page.context();
    const requests = requestsOf(context);
    await open(page, loginUrl, `/inbox/${customer.id}`);
    await messageOf(page, 'Hello').waitFor();
    requests.length = 0;
    await page.reload();
    await messageOf(page, 'Hello').waitFor();
    const tabs: Page[] = [];
    for (let tab = 1; tab < 8; tab += 1) {
      const opened = await context.newPage();
      await opened.goto(`${addresses.console_url}/inbox/${customer.id}`);
      await messageOf(opened, 'Hello').waitFor();
      tabs.push(opened);
    }
    await sandbox.write(customer.name, customer.phone, 'To all tabs');
    const all = [page, ...tabs];
    for (const tab of all) await messageOf(tab, 'To all tabs').waitFor();
    for (const [at, tab] of all.entries()) await send(tab, `From tab ${at}`);
    for (const tab of all) {
      for (const at of all.keys()) {
        await messageOf(tab, `From tab ${at}`).getByText('Sent', { exact: true }).waitFor();
      }
      expect(await messageOf(tab, 'From tab').count()).toBe(8);
    }
    expect(requests.filter(isStream)).toHaveLength(1);

    await page.close();
    await sandbox.write(customer.name, customer.phone, 'To the others');
    for (const tab of tabs) await messageOf(tab, 'To the others').waitFor();
    const streams = requests.filter(isStream);
    expect(streams).toHaveLength(2);
    // It resumes where the closed tab was.
    expect(streams[1]).toMatch(/[?]after=\d+$/);
    await Promise.all(tabs.map((tab) => tab.getByRole('link', { name: 'Customers', exact: true }).click()));
    await Promise.all(tabs.map((tab) => title(tab, 'Customers').waitFor()));
  });

  test('a position that the feed no longer has makes the page read everything again', async () => {
    const { store, page, loginUrl } = await newPerson();
    const sandbox = await connectSandbox(store);
    const customer = await sandbox.newCustomer('Helena', 'Hello');
    await open(page, loginUrl, `/inbox/${customer.id}`);
    await messageOf(page, 'Hello').waitFor();
    const next = await page.context().newPage();
    await next.goto(`${addresses.console_url}/inbox/${customer.id}`);
    await messageOf(next, 'Hello').waitFor();
    const refused = next.waitForResponse((response) => isStream(response.url()) && response.status() === 410);
    await page.evaluate((name) => {
      const state = { kind: 'state', connected: true, cursor: 900_000_000_000 };
      new BroadcastChannel(name).postMessage(state);
    }, `mostrador.live.${store.id}`);
    await page.close();
    await refused;
    await sandbox.write(customer.name, customer.phone, 'After the gap');
    await messageOf(next, 'After the gap').waitFor();
  });

  test('an hour without events is an hour without requests', async () => {
    const { store, page, loginUrl } = await newPerson();
    const sandbox = await connectSandbox(store);
    const customer = await sandbox.newCustomer('Helena', 'Hello');
    await takeClock(page);
    await open(page, loginUrl, `/inbox/${customer.id}`);
    await messageOf(page, 'Hello').waitFor();
    await rowOf(page, customer.id).getByText('1 unread').waitFor({ state: 'detached' });
    await sandbox.write(customer.name, customer.phone, 'Still there?');
    await messageOf(page, 'Still there?').waitFor();
    const requests = requestsOf(page.context());
    const requestsWithin = async (time: string) => {
      requests.length = 0;
      await page.clock.runFor(time);
      return requests.slice();
    };
    // What the message and its reading have caused comes to an end first. The services may take long for the last event:
    // the hour counts that follows another one without an event.
    const newest = async () => (await request('GET', '/events?after=-1', store)).body.next as number;
    let within: string[] = [];
    await eventually(
      async () => {
        const before = await newest();
        expect(before).toBeGreaterThan(0);
        await requestsWithin('01:00:00');
        within = await requestsWithin('01:00:00');
        return (await newest()) === before;
      },
      (quiet) => quiet,
    );
    expect(within).toEqual([]);
    await sandbox.write(customer.name, customer.phone, 'An hour later');
    await messageOf(page, 'An hour later').waitFor();
  });

  test('after sleep a page connects again where it was', async () => {
    const { store, page, loginUrl } = await newPerson();
    const sandbox = await connectSandbox(store);
    const customer = await sandbox.newCustomer('Helena', 'Hello');
    await takeClock(page);
    await open(page, loginUrl, `/inbox/${customer.id}`);
    await messageOf(page, 'Hello').waitFor();
    await sandbox.write(customer.name, customer.phone, 'Before the sleep');
    await messageOf(page, 'Before the sleep').waitFor();
    const again = page.waitForRequest((request) => isStream(request.url()));
    await page.clock.fastForward('08:00:00');
    expect((await again).url()).toMatch(/[?]after=\d+$/);
    await sandbox.write(customer.name, customer.phone, 'After the sleep');
    await messageOf(page, 'After the sleep').waitFor();
  });
});
