import type { BrowserContextOptions, Page } from 'playwright-core';
import { addresses, type Json } from '../platform.ts';
import { addSession, newPage } from './browser.ts';

/** A browser of its own with the session of a cookie, at a screen by its path below the console. */
export async function newPageOf(cookie: string, path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await newPage(options);
  await addSession(page.context(), cookie);
  await page.goto(`${addresses.console_url}${path}`);
  return page;
}

/** Asks the server from a page, as the console does. Returns the answer's body. */
export async function askFrom(page: Page, method: string, path: string, body?: object): Promise<Json> {
  const { status, text } = await page.evaluate(
    async ({ method, path, body }) => {
      const headers = body ? { 'content-type': 'application/json' } : undefined;
      const answer = await fetch(`/platform/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
      return { status: answer.status, text: await answer.text() };
    },
    { method, path, body },
  );
  if (status >= 400) throw new Error(`${method} ${path} got ${status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
