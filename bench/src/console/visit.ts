import { desktopChromiumOptions } from '@mostrador/testing/chromium';
import { openLoginLink } from '@mostrador/testing/login-link';
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';

/** The first conversation of the inbox, which a person can open. */
const usable = 'main [data-lead]';
const usableWithinMs = 60_000;

export type Loaded = {
  /** From the start of the navigation until the first conversation can be opened. */
  readonly usableMs: number;
  /** What came over the wire until then, compressed. */
  readonly bytes: number;
  readonly requests: number;
};

export type Scrolled = { readonly framesPerSecond: number; readonly longestFrameMs: number };

export type Hour = {
  readonly events: number;
  readonly seconds: number;
  readonly requests: number;
  /** The JavaScript heap after a collection, before and after the events. */
  readonly heapBefore: number;
  readonly heapAfter: number;
};

/** A person's browser, signed in. */
export type Visitor = {
  load(options: { cold: boolean; slowdown: number }): Promise<Loaded>;
  /** Scrolls the longest list of the screen, down or up, for some seconds. */
  scroll(path: string, options: { seconds: number; down: boolean; within: string }): Promise<Scrolled>;
  /** Counts what an open inbox does while `happen` makes events. */
  staysOpen(events: number, happen: () => Promise<void>): Promise<Hour>;
  close(): Promise<void>;
};

export async function openVisitor(consoleUrl: string, loginLink: string): Promise<Visitor> {
  const browser = await chromium.launch(desktopChromiumOptions);
  const appearance = { locale: 'en-US', viewport: { width: 1280, height: 800 } };
  const known = await browser.newContext(appearance);
  const page = await known.newPage();
  await openLoginLink(page, loginLink);
  await page.getByRole('navigation').first().waitFor();
  await page.close();
  const storageState = await known.storageState();
  return {
    load: async ({ cold, slowdown }) => {
      const context = cold ? await browser.newContext({ ...appearance, storageState }) : known;
      if (!cold) await loadOnce(context, consoleUrl, 1);
      const loaded = await loadOnce(context, consoleUrl, slowdown);
      if (cold) await context.close();
      return loaded;
    },
    scroll: (path, options) => inPage(known, (opened) => scrollOnce(opened, `${consoleUrl}${path}`, options)),
    staysOpen: (events, happen) => inPage(known, (opened) => stayOpen(opened, `${consoleUrl}/inbox`, events, happen)),
    close: () => browser.close(),
  };
}

async function inPage<T>(context: BrowserContext, work: (page: Page) => Promise<T>): Promise<T> {
  const page = await context.newPage();
  try {
    return await work(page);
  } finally {
    await page.close();
  }
}

const loadOnce = (context: BrowserContext, consoleUrl: string, slowdown: number): Promise<Loaded> =>
  inPage(context, async (page) => {
    const cdp = await context.newCDPSession(page);
    await cdp.send('Network.enable');
    let [bytes, requests] = [0, 0];
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
      requests += 1;
    });
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    const since = performance.now();
    await page.goto(`${consoleUrl}/inbox`, { waitUntil: 'commit' });
    await page.locator(usable).first().waitFor({ timeout: usableWithinMs });
    return { usableMs: performance.now() - since, bytes, requests };
  });

async function scrollOnce(
  page: Page,
  url: string,
  { seconds, down, within }: { seconds: number; down: boolean; within: string },
): Promise<Scrolled> {
  await page.goto(url);
  await page.locator(usable).first().waitFor({ timeout: usableWithinMs });
  const find = `(${scrollerIn})(${JSON.stringify(within)}, ${usableWithinMs})`;
  const script = `${find}.then((element) => (${measureFrames})(element, ${seconds * 1000}, ${down ? 1 : -1}))`;
  return (await page.evaluate(script)) as Scrolled;
}

/**
 * Runs in the page: the element with the most to scroll, once there is one. `waitForFunction` would evaluate a text in the
 * page, which the console's Content-Security-Policy forbids from the second look on.
 */
const scrollerIn = `(within, forMs) => new Promise((resolve, reject) => {
  const rest = (element) => element.scrollHeight - element.clientHeight;
  const since = performance.now();
  const look = () => {
    const all = [...document.querySelectorAll(within + ' *')].filter((element) =>
      rest(element) > 200 && /auto|scroll/.test(getComputedStyle(element).overflowY));
    if (all.length > 0) resolve(all.sort((a, b) => rest(b) - rest(a))[0]);
    else if (performance.now() - since > forMs) reject(new Error('nothing to scroll in ' + within));
    else requestAnimationFrame(look);
  };
  look();
})`;

/** Runs in the page: 3,000 px a second, and the frames that the browser made meanwhile. */
const measureFrames = `(element, forMs, direction) => new Promise((resolve) => {
  let frames = 0, longest = 0, since, last;
  const step = (now) => {
    since ??= now;
    if (last !== undefined) {
      frames += 1;
      longest = Math.max(longest, now - last);
      element.scrollTop += direction * 3 * (now - last);
    }
    last = now;
    if (now - since < forMs) requestAnimationFrame(step);
    else resolve({ framesPerSecond: frames / ((now - since) / 1000), longestFrameMs: longest });
  };
  requestAnimationFrame(step);
})`;

async function stayOpen(page: Page, url: string, events: number, happen: () => Promise<void>): Promise<Hour> {
  await page.goto(url);
  await page.locator(usable).first().waitFor({ timeout: usableWithinMs });
  const cdp = await page.context().newCDPSession(page);
  const heapBefore = await heapOf(cdp);
  let requests = 0;
  page.on('request', () => {
    requests += 1;
  });
  const since = performance.now();
  await happen();
  const seconds = (performance.now() - since) / 1000;
  return { events, seconds, requests, heapBefore, heapAfter: await heapOf(cdp) };
}

async function heapOf(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  return usedSize;
}
