import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { signInAs } from '../people.ts';
import { daysAhead, eventually, gatewayUrl, newStore, request, signal } from '../platform.ts';
import { inBrowser, type TestStore } from './browser.ts';
import { composer, connectSandbox, messageOf, rowOf, send, thread } from './conversations.ts';
import { newPageOf } from './signed-in.ts';

let store: TestStore;
let sandbox: Awaited<ReturnType<typeof connectSandbox>>;
let cookies: readonly [string, string];

const crash = (name: string) => {
  signal(name, 'SIGKILL');
  return async () => {};
};
/** What a page asks the server for from now on, without its event stream. */
function requestsOf(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (one) => {
    const url = one.url();
    if (url.startsWith(`${gatewayUrl}/platform/v1/`) && !url.includes('/events/stream')) asked.push(url);
  });
  return asked;
}

beforeAll(async () => {
  store = await newStore();
  sandbox = await connectSandbox(store);
  cookies = [await signInAs(store.id, 'owner'), await signInAs(store.id, 'owner')];
});

inBrowser(() => {
  test('a restart of the gateway loses nothing', async () => {
    const customer = await sandbox.newCustomer('Helena', 'Hello');
    const [page, other] = [
      await newPageOf(cookies[0], `/inbox/${customer.id}`),
      await newPageOf(cookies[1], `/inbox/${customer.id}`),
    ];
    for (const one of [page, other]) await messageOf(one, 'Hello').waitFor();
    signal('gateway', 'SIGKILL');
    await eventually(
      () =>
        sandbox.write(customer.name, customer.phone, 'During the restart').then(
          () => true,
          () => false,
        ),
      Boolean,
    );
    for (const one of [page, other]) await messageOf(one, 'During the restart').waitFor();
    await send(page, 'After the restart');
    await messageOf(other, 'After the restart').waitFor();
    expect((await sandbox.messages(customer.id)).map(({ body }) => body)).toEqual([
      'Hello',
      'During the restart',
      'After the restart',
    ]);
  });

  /** What keeps a page from hearing of what happens. Each returns what ends it. */
  const interruptions: readonly (readonly [string, (page: Page) => Promise<() => Promise<unknown>>])[] = [
    ['a crash of the gateway', async () => crash('gateway')],
    ['a crash of the service of events', async () => crash('events')],
    [
      'sleep',
      async (page) => {
        const cdp = await page.context().newCDPSession(page);
        await cdp.send('Page.setWebLifecycleState', { state: 'frozen' });
        return () => cdp.send('Page.setWebLifecycleState', { state: 'active' });
      },
    ],
    [
      'a time without network',
      async (page) => {
        await page.context().setOffline(true);
        return () => page.context().setOffline(false);
      },
    ],
  ];

  test.each(interruptions)(
    'through %s nothing is missed, lost or moved, and there is no storm',
    async (_, interrupt) => {
      const { id, phone } = await sandbox.newCustomer('Helena', 'Message 0');
      const write = async (from: number, count: number) => {
        for (let number = from; number < from + count; number += 1)
          await sandbox.write('Helena', phone, `Message ${number}`);
      };
      await write(1, 39);
      const page = await newPageOf(cookies[0], `/inbox/${id}`);
      await messageOf(page, 'Message 39').waitFor();
      await composer(page).fill('I would like to');
      const region = page.getByRole('region', { name: 'Messages' });
      await region.evaluate((element) => element.scrollBy(0, -600));
      await page.getByRole('button', { name: 'To the newest message' }).waitFor();
      const inView = page.getByRole('article').filter({ hasText: 'Message 30' });
      await inView.waitFor();
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))');
      const before = (await inView.boundingBox())?.y ?? 0;

      const asked = requestsOf(page);
      const end = await interrupt(page);
      // The other browser goes on as soon as the server does.
      await eventually(
        () =>
          write(40, 1).then(
            () => true,
            () => false,
          ),
        Boolean,
      );
      await write(41, 19);
      const pause = { ai_paused_until: daysAhead(1).toISOString(), status: 'in_progress' };
      expect((await request('PATCH', `/leads/${id}`, { key: store.key, body: pause })).status).toBe(200);
      await end();

      await page.getByRole('button', { name: 'The AI is paused' }).waitFor();
      await page.getByRole('button', { name: 'Status: In progress' }).waitFor();
      await rowOf(page, id).getByText('Message 59').waitFor();
      expect(Math.abs(((await inView.boundingBox())?.y ?? 0) - before)).toBeLessThanOrEqual(2);
      expect(await composer(page).inputValue()).toBe('I would like to');
      await page.getByRole('button', { name: 'To the newest message' }).click();
      await messageOf(page, 'Message 59').waitFor();
      const shown = (await thread(page)).map((text) => Number(text.replace('Message ', '')));
      const first = shown[0] ?? 0;
      expect(shown).toEqual(Array.from({ length: 60 - first }, (_, at) => first + at));
      // 21 changes: were each one followed by a reading of all that is shown, it would be more than a hundred requests.
      expect(asked.length, asked.join('\n')).toBeLessThan(60);
      await send(page, 'know when it is ready');
      await messageOf(page, 'know when it is ready').getByText('Sent', { exact: true }).waitFor();
    },
  );
});
