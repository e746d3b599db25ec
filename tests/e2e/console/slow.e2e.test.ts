import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { signInAs } from '../people.ts';
import { newStore } from '../platform.ts';
import { fits, inBrowser } from './browser.ts';
import { composer, connectSandbox, messageOf, rowOf } from './conversations.ts';
import { newPageOf } from './signed-in.ts';

/** The slow network of a telephone, and a processor with a quarter of the speed. `npm run bench -- console` measures it. */
async function slowDown(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  const bytesPerSecond = (400 * 1024) / 8;
  const network = {
    offline: false,
    latency: 400,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  };
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', network);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
}

/** Adds up how far what is shown has moved by itself. Over 0.1 people notice. */
const measureShifts = `new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) {
    if (!hadRecentInput) globalThis.__shift = (globalThis.__shift ?? 0) + value;
  }
}).observe({ type: 'layout-shift', buffered: true })`;

let sandbox: Awaited<ReturnType<typeof connectSandbox>>;
let cookie: string;
let helena: { id: string; name: string; phone: string };

beforeAll(async () => {
  const store = await newStore();
  sandbox = await connectSandbox(store);
  cookie = await signInAs(store.id, 'owner');
  helena = await sandbox.newCustomer('Helena', 'Are my glasses ready?');
});

inBrowser(() => {
  test.each([390, 1280])('the inbox is usable over a slow network with a slow processor, %d px wide', async (width) => {
    // With a locale it is a browser that has no files of the inbox yet.
    const page = await newPageOf(cookie, '/login', { locale: 'en-US', viewport: { width, height: 800 } });
    await page.goto('about:blank');
    await page.addInitScript(measureShifts);
    await slowDown(page);
    await page.goto(`${new URL(sandbox.url).origin}/console/inbox`, { waitUntil: 'commit' });
    await rowOf(page, helena.id).click();
    await messageOf(page, 'Are my glasses ready?').waitFor();
    await composer(page).fill('They are');
    await page.keyboard.press('Enter');
    await messageOf(page, 'They are').last().getByText('Sent', { exact: true }).waitFor();
    expect(await fits(page)).toBe(true);
    expect(Number(await page.evaluate('globalThis.__shift ?? 0'))).toBeLessThan(0.1);
  });
});
