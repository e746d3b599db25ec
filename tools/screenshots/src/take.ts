import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { desktopChromiumOptions } from '@mostrador/testing/chromium';
import { openLoginLink } from '@mostrador/testing/login-link';
import { type Browser, type BrowserContextOptions, chromium, type Page, type Request } from 'playwright-core';
import UPNG from 'upng-js';
import type { Screen } from './screens.ts';

/** How each screen is shown. The height of a phone's picture is that of one screen, too. */
const looks: readonly (readonly [string, BrowserContextOptions])[] = [
  ['light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
  ['dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
  ['phone', { viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true }],
];

/** The typeface comes from the second visit on. Not `waitForFunction`, which the policy of the console stops. */
const typefaceKept = `new Promise((done) => {
  const look = () => (localStorage.getItem('mostrador.font') ? done() : setTimeout(look, 100));
  look();
})`;

type Options = {
  readonly consoleUrl: string;
  /** A link that works once; each look needs one. */
  readonly loginLink: () => Promise<string>;
  readonly screens: readonly Screen[];
  /** The telephone of the sandbox, as this customer. */
  readonly telephone?: { readonly url: string; readonly customer: string };
  readonly directory: string;
  readonly locale: string;
  readonly say: (text: string) => void;
};

/** Takes every screen in every look. Returns the bytes of all pictures. Throws when a screen reports an error. */
export async function takeScreenshots(options: Options): Promise<number> {
  const args = [...desktopChromiumOptions.args, '--hide-scrollbars'];
  const browser = await chromium.launch({ ...desktopChromiumOptions, args });
  try {
    let bytes = 0;
    for (const [look, context] of looks) bytes += await takeLook(browser, look, context, options);
    if (options.telephone) bytes += await takeTelephone(browser, options.telephone, options);
    return bytes;
  } finally {
    await browser.close();
  }
}

async function takeLook(
  browser: Browser,
  look: string,
  appearance: BrowserContextOptions,
  { consoleUrl, loginLink, screens, directory, locale, say }: Options,
): Promise<number> {
  const timezoneId = 'America/Sao_Paulo';
  const context = await browser.newContext({ ...appearance, locale, timezoneId, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const openRequests = openRequestsOf(page);
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  await openLoginLink(page, await loginLink());
  await page.getByRole('navigation').first().waitFor();
  await page.evaluate(typefaceKept);
  let bytes = 0;
  for (const { name, path, waitFor } of screens) {
    await page.goto(`${consoleUrl}${path}`);
    if (waitFor) await page.getByRole(waitFor).last().waitFor();
    await settle(page, openRequests);
    const picture = smallPng(await page.screenshot({ caret: 'hide', animations: 'disabled' }));
    writeFileSync(join(directory, `${name}-${look}.png`), picture);
    bytes += picture.length;
    say(`${name}-${look}.png  ${Math.ceil(picture.length / 1024)} KiB`);
    if (faults.length > 0) throw new Error(`${path} reports an error: ${faults[0]}`);
  }
  await context.close();
  return bytes;
}

/** Takes the customer's telephone, in the language of the store. */
async function takeTelephone(
  browser: Browser,
  { url, customer }: NonNullable<Options['telephone']>,
  { directory, say }: Options,
): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 420, height: 1100 }, colorScheme: 'light' });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('#choose > summary').click();
  await page.getByRole('button', { name: customer }).click();
  await page.getByText('Chego de metrô').waitFor();
  const picture = smallPng(await page.screenshot({ caret: 'hide', animations: 'disabled' }));
  writeFileSync(join(directory, 'telephone-light.png'), picture);
  say(`telephone-light.png  ${Math.ceil(picture.length / 1024)} KiB`);
  await context.close();
  return picture.length;
}

/** Knows the requests of a page that have no answer yet. The event stream never ends, so it is none of them. */
function openRequestsOf(page: Page): ReadonlySet<Request> {
  const open = new Set<Request>();
  page.on('request', (request) => request.resourceType() === 'eventsource' || open.add(request));
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  return open;
}

/** Waits until the screen shows what it loads: a heading, and nothing that is busy or still asked for. */
async function settle(page: Page, openRequests: ReadonlySet<Request>): Promise<void> {
  await page.getByRole('main').getByRole('heading').first().waitFor();
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  // Two frames: what has arrived is painted, and has asked for what it needs.
  const painted = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))';
  const busy = page.locator('[aria-busy=true]');
  do await page.evaluate(painted);
  while (openRequests.size > 0 || (await busy.count()) > 0);
}

const colours = 256;

/** The same picture with at most 256 colours, which takes about a third of the bytes. */
function smallPng(png: Buffer): Buffer {
  const decoded = UPNG.decode(new Uint8Array(png).buffer);
  const [frame] = UPNG.toRGBA8(decoded);
  if (!frame) throw new Error('the picture has no frame');
  return Buffer.from(UPNG.encode([frame], decoded.width, decoded.height, colours));
}
