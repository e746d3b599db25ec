import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromiumOptions } from '@mostrador/testing/chromium';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { afterEach, describe, expect } from 'vitest';
import { ofNewNetwork, signInBy } from '../people.ts';
import { addresses, admin, gatewayUrl, newStore, request } from '../platform.ts';

const { executablePath, args } = chromiumOptions;
/** The address bar's suggestions, whose two pages would cost each context more than the console does. */
const suggestions = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];
/** Of several `--disable-features` the last one counts: these are in the one of Playwright. */
const alsoDisabled = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'PaintHolding'],
  ...['HttpsFirstBalancedModeAutoEnable', 'ThirdPartyStoragePartitioning', 'OptimizationHints', 'AimEnabled'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'NetworkTimeServiceQuerying', 'PreconnectToSearch'],
];
const disabled = `--disable-features=${[...suggestions, ...alsoDisabled].join(',')}`;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * A profile of the browser. Its pages are in one process, which `keeper` keeps: a new profile would load the files of the
 * console and compile them again, for a third of the processor time that a page takes.
 */
type Profile = {
  readonly context: BrowserContext;
  readonly keeper: Page;
  /** The servers whose pages it has shown. */
  readonly origins: Set<string>;
};

/** The files of a worker share it. Playwright ends it with the worker. */
let browser: Promise<Browser> | undefined;
/** Empty profiles with the usual options, and those of the running test. */
const free: Profile[] = [];
const taken: Profile[] = [];
/** What closes with the running test. */
const closing = new Set<BrowserContext>();
/** What a page reports as an error: also what the content security policy has stopped. */
let faults: string[] = [];

/**
 * The tests of a file, in one browser. After each test its pages close, nothing of them stays in the browser but files, and
 * none may have reported an error.
 */
export function inBrowser(tests: () => void): void {
  describe.skipIf(!existsSync(executablePath))(`in a browser (skipped when there is none at ${executablePath})`, () => {
    afterEach(async ({ task }) => {
      if (task.result?.state === 'fail') await showPages();
      await Promise.all(taken.splice(0).map(giveBack));
      await Promise.all([...closing].map((context) => context.close()));
      closing.clear();
      const seen = faults;
      faults = [];
      expect(seen).toEqual([]);
    });
    tests();
  });
}

/** Prints what the pages of the test that failed show, as a screen reader has it. */
async function showPages(): Promise<void> {
  for (const context of [...taken.map((profile) => profile.context), ...closing]) {
    for (const page of context.pages()) {
      const shown = await page.locator('body').ariaSnapshot({ timeout: 5_000 }).catch(String);
      console.error(`The page ${page.url()} shows:\n${shown.slice(0, 6_000)}`);
    }
  }
}

/**
 * A page with a browser profile of its own. With the usual options it is one that another test has had, without its cookies
 * and what its pages stored: a test sets routes and scripts on the page, and not on its context, where they would stay. With
 * any other option than `viewport` and `reducedMotion`, also the usual locale, it is new: it has no files of the console.
 */
export async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
  const { viewport, reducedMotion, ...own } = options;
  const isUsual = Object.keys(own).length === 0;
  const context = isUsual ? await takeContext() : await newContext(own);
  if (!isUsual) closing.add(context);
  // Each person of a test comes from a network of their own: sign-ins are limited by network.
  await context.setExtraHTTPHeaders({ ...ofNewNetwork(), ...own.extraHTTPHeaders });
  const page = await context.newPage();
  if (viewport) await page.setViewportSize(viewport);
  if (reducedMotion) await page.emulateMedia({ reducedMotion });
  page.on('pageerror', (error) => faults.push(error.message));
  // A refused request is an answer, and the console shows it in words.
  page.on('console', (line) => {
    if (line.type() === 'error' && !line.text().startsWith('Failed to load resource')) faults.push(line.text());
  });
  return page;
}

async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  browser ??= chromium.launch({ ...chromiumOptions, args: [...args, disabled, '--process-per-site'] });
  const context = await (await browser).newContext({
    ...{ locale: 'en-US', permissions: ['clipboard-write'] },
    ...options,
  });
  // Only a machine that stands still needs so long.
  context.setDefaultTimeout(90_000);
  return context;
}

/** A context with the usual options, which another test may have had. */
async function takeContext(): Promise<BrowserContext> {
  const profile = free.pop() ?? (await newProfile());
  taken.push(profile);
  return profile.context;
}

async function newProfile(): Promise<Profile> {
  const context = await newContext();
  const origins = new Set<string>();
  context.on('page', (page) => {
    page.on('framenavigated', (frame) => {
      const { protocol, origin } = new URL(frame.url());
      if (protocol.startsWith('http')) origins.add(origin);
    });
  });
  const keeper = await context.newPage();
  await keeper.goto(`${gatewayUrl}/healthz`);
  return { context, keeper, origins };
}

/** Closes the pages of a profile and removes what they have kept. */
async function giveBack(profile: Profile): Promise<void> {
  const { context, keeper, origins } = profile;
  if (closing.has(context)) return;
  await Promise.all(context.pages().map((page) => (page === keeper ? undefined : page.close())));
  await context.setOffline(false);
  await context.clearCookies();
  const cdp = await context.newCDPSession(keeper);
  for (const origin of origins) await cdp.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await cdp.detach();
  // The process of the pages has a copy of it.
  await keeper.evaluate('localStorage.clear()');
  free.push(profile);
}

/** Gives the clock of a page's browser to the test, which keeps it until the browser's profile closes. */
export async function takeClock(page: Page): Promise<void> {
  closing.add(page.context());
  await page.clock.install();
}

export type Role = 'owner' | 'manager' | 'seller';
export type TestStore = Awaited<ReturnType<typeof newStore>>;

/** Invites a person to a store. A seller is also a seller of the API, with `sellerId`. */
export async function invitePerson(store: TestStore, role: Role = 'owner', name = 'Ana Souza') {
  const email = `${randomBytes(8).toString('hex')}@example.com`;
  const person = ['--email', email, '--name', name, '--role', role];
  let sellerId: string | undefined;
  if (role === 'seller') {
    const whatsapp_id = `55119${Math.floor(10_000_000 + Math.random() * 89_999_999)}`;
    const made = await request('POST', '/sellers', { key: store.key, body: { name, whatsapp_id } });
    sellerId = made.body.id as string;
    person.push('--seller', sellerId);
  }
  const { login_url } = await admin(['user', 'invite', '--store', store.id, ...person]);
  return { email, loginUrl: login_url as string, sellerId };
}

/** A person of a new store, and a page for them. */
export async function newPerson(role: Role = 'owner', options: BrowserContextOptions = {}) {
  const store = await newStore();
  return { store, ...(await invitePerson(store, role)), page: await newPage(options) };
}

/** Gives a browser the session of a cookie, `name=value`. */
export async function addSession(context: BrowserContext, cookie: string): Promise<void> {
  const at = cookie.indexOf('=');
  const session = { name: cookie.slice(0, at), value: cookie.slice(at + 1), httpOnly: true, secure: true } as const;
  await context.addCookies([{ ...session, url: gatewayUrl.replace('http:', 'https:') }]);
}

/** Signs in without the page of the link, which would load the console twice, and opens a screen by its path. */
export async function open(page: Page, loginUrl: string, path: string): Promise<void> {
  const browserName = { 'user-agent': await page.evaluate<string>('navigator.userAgent') };
  await addSession(page.context(), await signInBy(loginUrl, browserName));
  await page.goto(`${addresses.console_url}${path}`);
}

/** The heading of a screen. */
export const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

/** Presses Tab until the element with this role and name has the focus. */
export async function tabTo(page: Page, role: Parameters<Page['getByRole']>[0], name: string | RegExp): Promise<void> {
  const target = page.getByRole(role, { name, exact: typeof name === 'string' });
  // To find it takes the roles and names of the whole page, so it is found again only where the page has replaced it.
  let element = await target.elementHandle();
  for (let pressed = 0; pressed < 60; ) {
    const focus = await element
      ?.evaluate((one) => one.isConnected && (one === one.ownerDocument.activeElement ? 'there' : 'elsewhere'))
      .catch(() => false);
    if (focus === 'there') return;
    if (focus === 'elsewhere') {
      await page.keyboard.press('Tab');
      pressed += 1;
    } else {
      element = await target.elementHandle();
    }
  }
  throw new Error(`Tab does not reach the ${role} ${name}`);
}

/**
 * Brings the focus to an item of the menu that has just been opened. A key that comes before the menu has the focus does
 * nothing, so it is pressed until the item has it.
 */
export async function keyTo(page: Page, key: 'Home' | 'ArrowDown' | 'End', item: Locator): Promise<void> {
  await item.waitFor();
  const isThere = () => item.evaluate((one) => one === one.ownerDocument.activeElement);
  await expect
    .poll(async () => {
      if (await isThere()) return true;
      await page.keyboard.press(key);
      return await isThere();
    })
    .toBe(true);
}

/** Waits until what opens, closes or fades has done so. An animation without an end, such as a spinner, is none. */
const settled = (page: Page) => page.evaluate(finished);
const finished = `Promise.allSettled(
  document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime < Infinity).map(({ finished }) => finished),
).then(() => undefined)`;

/** Waits until the dialog that opened last has the focus: what is typed goes into it. */
export async function inDialog(page: Page): Promise<void> {
  const dialogs = `[...document.querySelectorAll('[role="alertdialog"], [role="dialog"]')]`;
  // Not `waitForFunction`, which the policy of the console stops when it has to look twice.
  await expect.poll(() => page.evaluate(`${dialogs}.at(-1)?.contains(document.activeElement)`)).toBe(true);
}

/** Beside light, which is the default. Only rules of colours depend on the appearance. */
const otherAppearances = [
  ['dark', { colorScheme: 'dark', forcedColors: 'none' }],
  ['forced colours', { colorScheme: 'light', forcedColors: 'active' }],
] as const;
const rulesOfColours = { runOnly: ['color-contrast', 'link-in-text-block'] };
/** What axe finds right is not described. */
const onlyViolations = { resultTypes: ['violations'] };

/** Runs all rules of axe on what the page shows, and those of colours again in each other appearance. */
export async function violations(page: Page): Promise<string[]> {
  const found = await axeFindings(page, {});
  for (const [name, media] of otherAppearances) {
    await page.emulateMedia(media);
    found.push(...(await axeFindings(page, rulesOfColours)).map((finding) => `${name}: ${finding}`));
  }
  await page.emulateMedia({ colorScheme: null, forcedColors: null });
  return found;
}

async function axeFindings(page: Page, options: object): Promise<string[]> {
  // Runs outside the page's policy, as an extension of the browser does.
  const cdp = await page.context().newCDPSession(page);
  const loaded = await cdp.send('Runtime.evaluate', { expression: 'typeof axe' });
  if (loaded.result.value === 'undefined') await cdp.send('Runtime.evaluate', { expression: axe });
  // A note that goes while axe looks has half its colour, so axe looks again after anything has moved.
  const expression = `(async () => {
    let hasMoved = true, found;
    const moves = () => { hasMoved = true; };
    addEventListener('transitionrun', moves, true);
    addEventListener('animationstart', moves, true);
    while (hasMoved) {
      await ${finished};
      hasMoved = false;
      found = await axe.run(${JSON.stringify({ ...options, ...onlyViolations })});
    }
    removeEventListener('transitionrun', moves, true);
    removeEventListener('animationstart', moves, true);
    return found.violations.map(({ id, nodes }) => id + ': ' + nodes[0].html);
  })()`;
  const { result } = await cdp.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  return result.value as string[];
}

/** Whether the page needs no scrolling sideways. */
export const fits = (page: Page) => page.evaluate('document.documentElement.scrollWidth <= innerWidth');

/** The widths, from a small telephone to a large screen, at which what the page shows needs scrolling sideways. */
export async function tooNarrow(page: Page): Promise<number[]> {
  const before = page.viewportSize();
  const widths: number[] = [];
  for (const width of [320, 390, 1280, 2560]) {
    await page.setViewportSize({ width, height: 800 });
    await settled(page);
    if (!(await fits(page))) widths.push(width);
  }
  if (before) await page.setViewportSize(before);
  return widths;
}
