import { openLoginLink } from '@mostrador/testing/login-link';
import { startXandikos } from '@mostrador/testing/providers/caldav/servers';
import { startWebhookReceiver } from '@mostrador/testing/providers/webhook-receiver/server';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { addresses, admin, gatewayUrl } from '../platform.ts';
import { inBrowser, inDialog, newPage } from './browser.ts';
import { hostile, newHostileStore, shownFields } from './hostile-store.ts';
import { addDevice, atLocalhost } from './passkeys.ts';

const id = /[0-9a-f]{8}-[0-9a-f-]{27}/;
/** What a screen shows, however many of its kind there are, and what is open on it. Filters show nothing else. */
const shapeOf = (address: string) => {
  const { pathname, searchParams } = new URL(address, gatewayUrl);
  const opened = [...searchParams].filter(([, value]) => id.test(value)).map(([name]) => name);
  return `${pathname.replace(id, ':id')} ${opened.sort()}`;
};
/** Buttons that only filter what is shown open nothing. */
const buttons = 'button:not([aria-pressed], [role=radio])';

/** What is in a page: its texts, the elements that no text may become, and what has run or was stopped. */
const everything = `({
  texts: [
    document.title,
    document.body.textContent,
    ...[...document.querySelectorAll('input, textarea')].map(({ value }) => value),
    ...[...document.querySelectorAll('[title], [aria-label]')].flatMap((each) => [each.title, each.ariaLabel]),
  ].join('\\n'),
  made: [...document.querySelectorAll('img[src="x"], [onerror], [href^="javascript:" i], iframe, object, embed')].map(
    ({ outerHTML }) => outerHTML,
  ),
  hit: globalThis.__hit,
  stopped: globalThis.__stopped,
})`;
const listen = `addEventListener('securitypolicyviolation', ({ violatedDirective, sample }) => {
  (globalThis.__stopped ??= []).push(violatedDirective + ' ' + sample);
})`;
const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))';
/** What a toast says is a dialog too, in a region of its own. */
const dialogs = ':is([role=dialog], [role=alertdialog]):not([role=region] *)';

/** Walks through the console from link to link, and opens everything that a button opens. */
function walker(page: Page) {
  let texts = '';
  const visited = new Set<string>();
  const next: string[] = [];

  const settle = async () => {
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    await page.evaluate(twoFrames);
  };
  const look = async (where: string) => {
    await settle();
    const seen: { texts: string; made: string[]; hit: unknown; stopped: unknown } = await page.evaluate(everything);
    const { texts: shown, ...rest } = seen;
    expect(rest, where).toEqual({ made: [], hit: undefined, stopped: undefined });
    texts += shown;
    for (const link of await page
      .locator('a[href^="/console/"]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''))) {
      if (visited.has(shapeOf(link))) continue;
      visited.add(shapeOf(link));
      next.push(link);
    }
  };
  const isOpen = () => page.locator(`${dialogs}, [role=menu]`).filter({ visible: true }).count();
  const close = async (address: string) => {
    for (let pressed = 0; pressed < 3 && (await isOpen()); pressed += 1) {
      await page.keyboard.press('Escape');
      await page.evaluate(twoFrames);
    }
    // What shows a secret once stays open.
    if ((await isOpen()) || page.url() !== address) await visit(address);
  };
  const visit = async (address: string) => {
    await page.goto(address);
    await page.getByRole('heading').first().waitFor();
    await settle();
  };
  const inReach = (selector: string) => page.locator(selector).filter({ visible: true });
  const namesOf = (selector: string) =>
    inReach(selector).evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? one.textContent ?? ''));
  /**
   * Presses the first one that is called so. Returns false when there is none any more. One call finds and focuses it,
   * because a screen that has news may change its buttons at any time.
   */
  const press = async (selector: string, name: string) => {
    const focused = await inReach(selector).evaluateAll((all, wanted) => {
      const one = all.find((each) => (each.getAttribute('aria-label') ?? each.textContent) === wanted);
      if (!one || one.matches(':disabled, [aria-disabled=true]')) return false;
      one.focus();
      return true;
    }, name);
    if (focused) await page.keyboard.press('Enter');
    return focused;
  };
  const pressAll = async (address: string) => {
    const scope = (await isOpen()) ? `${dialogs} ${buttons}` : `main ${buttons}`;
    for (const name of new Set(await namesOf(scope))) {
      if (name === '' || name === 'Close' || !(await press(scope, name))) continue;
      await look(`${address}, ${name}`);
      for (const item of await namesOf('[role=menuitem]:not(a)')) {
        await press('[role=menuitem]', item);
        await look(`${address}, ${name}, ${item}`);
        await close(address);
        if (!(await press(scope, name))) break;
      }
      await close(address);
    }
  };
  return {
    async walk(...from: readonly string[]): Promise<void> {
      next.push(...from);
      for (let path = next.shift(); path !== undefined; path = next.shift()) {
        visited.add(shapeOf(path));
        const address = new URL(path, gatewayUrl).href;
        await visit(address);
        await look(address);
        await pressAll(page.url());
      }
    },
    look,
    visited,
    /** The fields whose text was on no screen. */
    missing: () => shownFields.filter((field) => !texts.includes(hostile(field)) && !texts.includes(`//${field}`)),
  };
}

/** Gives a person a passkey with a hostile name. */
async function addPasskey(email: string): Promise<void> {
  const page = await newPage();
  await addDevice(page);
  const { login_url } = await admin(['user', 'login-link', '--email', email]);
  await openLoginLink(page, atLocalhost(login_url));
  await page.getByRole('navigation').waitFor();
  await page.goto(atLocalhost(`${addresses.console_url}/account/security`));
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await inDialog(page);
  await page.getByLabel('Name').fill(hostile('passkey'));
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Remove “${hostile('passkey')}”` }).waitFor();
}

inBrowser(() => {
  test('on every screen, drawer and dialog hostile text is text, and no script runs', {
    // Only a busy machine needs so long.
    timeout: 600_000,
  }, async () => {
    const receiver = await startWebhookReceiver();
    receiver.answer(() => ({ status: 500, body: hostile('answer') }));
    const calendar = await startXandikos();
    try {
      const outside = { receiver, calendarUrl: calendar.collectionUrl };
      const { email, leadId, deliveryPath, sandboxUrl } = await newHostileStore(outside);
      await addPasskey(email);
      const page = await newPage();
      await page.addInitScript(listen);
      // Each link that is used ends the other links of its person.
      const { login_url } = await admin(['user', 'login-link', '--email', email]);
      await openLoginLink(page, login_url);
      const links = page.getByRole('navigation').getByRole('link');
      await links.first().waitFor();
      const screens = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
      const { walk, look, visited, missing } = walker(page);
      const person = page.getByRole('button', { name: 'person' });
      await person.click();
      await look('the menu of the person');
      await page.keyboard.press('Escape');
      await walk(
        `/console/inbox/${leadId}`,
        `/console/leads/${leadId}`,
        `/console${deliveryPath}`,
        '/console/account/security',
      );
      expect(missing()).toEqual([]);
      for (const screen of screens) expect([...visited]).toContain(shapeOf(screen));

      await page.goto(sandboxUrl);
      await page.locator('#me').click();
      await page.getByRole('button', { name: 'lead' }).first().click();
      await page.getByText(hostile('outbound')).waitFor();
      await look('the telephone of the sandbox');
    } finally {
      await calendar.dispose();
      await receiver.close();
    }
  });
});
