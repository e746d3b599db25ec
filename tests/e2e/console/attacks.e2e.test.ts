import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openLoginLink } from '@mostrador/testing/login-link';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askAsPage, signInAs } from '../people.ts';
import { addresses, admin, gatewayUrl, type Json, newStore, request } from '../platform.ts';
import { expectProblem } from '../problem.ts';
import { addSession, inBrowser, invitePerson, newPage, type TestStore, title } from './browser.ts';
import { newPageOf } from './signed-in.ts';

const sessionName = '__Host-mostrador';
let store: TestStore;
let owner: string;
/** A page of an attacker, at another port and, as `localhost`, at another site. */
let elsewhere: Server;
let port: number;

beforeAll(async () => {
  store = await newStore();
  owner = await signInAs(store.id, 'owner');
  elsewhere = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Elsewhere</title><iframe name="inner"></iframe>');
  }).listen(0);
  await once(elsewhere, 'listening');
  port = (elsewhere.address() as AddressInfo).port;
});
afterAll(() => elsewhere?.close());

const sessionOf = async (page: Page) =>
  (await page.context().cookies(gatewayUrl.replace('http:', 'https:'))).find(({ name }) => name === sessionName);
const keyNames = async (): Promise<string[]> =>
  (await askAsPage('GET', '/keys', { cookie: owner })).body.data.map(({ name }: Json) => name);

/** The browser of a person who is signed in, at a page of an attacker. What the browser refuses is no fault. */
async function lureTo(host: string): Promise<Page> {
  const context = (await newPage()).context();
  await addSession(context, owner);
  const page = await context.newPage();
  await page.goto(`http://${host}:${port}/`);
  return page;
}

inBrowser(() => {
  test('the cookie of a session is for this host alone, and no script reads it', async () => {
    const { loginUrl } = await invitePerson(store);
    const page = await newPage();
    await openLoginLink(page, loginUrl);
    await title(page, 'Inbox').waitFor();
    expect(await sessionOf(page)).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax', path: '/' });
    expect((await sessionOf(page))?.domain).not.toMatch(/^\./);
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain('ms_');
  });

  test('a session that an attacker planted in the browser opens nothing after the person has signed in', async () => {
    const { loginUrl } = await invitePerson(store);
    const planted = await signInAs(store.id, 'seller', (await invitePerson(store, 'seller')).sellerId);
    const page = await newPage();
    await addSession(page.context(), planted);
    await openLoginLink(page, loginUrl);
    await title(page, 'Inbox').waitFor();
    const cookie = await sessionOf(page);
    expect(`${cookie?.name}=${cookie?.value}`).not.toBe(planted);
    await page.getByRole('button', { name: /Owner/ }).waitFor();
    expectProblem(await askAsPage('GET', '/session', { cookie: planted }), 'invalid_session');
  });

  test('a person who is disabled is signed out of the page that they look at, and their colleague is not', async () => {
    const leaving = await invitePerson(store, 'manager', 'Leo');
    const page = await newPage();
    await openLoginLink(page, leaving.loginUrl);
    await title(page, 'Inbox').waitFor();
    const colleague = await newPageOf(owner, '/inbox');
    await title(colleague, 'Inbox').waitFor();
    await admin(['user', 'disable', '--email', leaving.email]);
    await title(page, 'Sign in').waitFor();
    await page.goto(`${addresses.console_url}/leads`);
    await title(page, 'Sign in').waitFor();
    await colleague.reload();
    await title(colleague, 'Inbox').waitFor();
  });

  const body = JSON.stringify({ name: 'Taken', scopes: ['leads:read'], expires_at: null });
  /** What a page can send to another address, with the cookies that the browser adds. */
  const ways: readonly (readonly [string, string])[] = [
    [
      'a form of text that is JSON',
      `const form = document.createElement('form');
       Object.assign(form, { method: 'post', enctype: 'text/plain', action: url, target: 'inner' });
       const field = form.appendChild(document.createElement('input'));
       Object.assign(field, { name: body.slice(0, -1) + ',"x":"', value: '"}' });
       document.body.append(form);
       form.submit();`,
    ],
    [
      'a form',
      `const form = document.createElement('form');
       Object.assign(form, { method: 'post', action: url, target: 'inner' });
       const field = form.appendChild(document.createElement('input'));
       Object.assign(field, { name: 'name', value: 'Taken' });
       document.body.append(form);
       form.submit();`,
    ],
    [
      'a request without CORS',
      `fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body }).catch(() => {});`,
    ],
    ['a beacon', 'navigator.sendBeacon(url, new Blob([body], { type: "text/plain" }));'],
  ];

  test.each(['127.0.0.1', 'localhost'])(
    'nothing that a page at another address of %s sends changes anything',
    async (host) => {
      const page = await lureTo(host);
      const outcomes: (readonly [string, string])[] = [];
      page.on('response', (response) => outcomes.push([response.url(), String(response.status())]));
      // The page itself learns nothing of an answer that the browser does not give to it.
      page.on('requestfailed', (failed) => outcomes.push([failed.url(), failed.failure()?.errorText ?? '']));
      for (const [way, script] of ways) {
        await page.goto(`http://${host}:${port}/`);
        const url = `${gatewayUrl}/platform/v1/keys?way=${encodeURIComponent(way)}`;
        await page.evaluate(`{ const url = ${JSON.stringify(url)}; const body = ${JSON.stringify(body)}; ${script} }`);
        const ofWay = () => outcomes.filter(([asked]) => asked === url).map(([, outcome]) => outcome);
        await expect.poll(() => ofWay().length, { message: way }).toBeGreaterThan(0);
        for (const outcome of ofWay()) expect(outcome, way).toMatch(/^403$|BLOCKED/);
      }
      expect(await keyNames()).toEqual(['e2e']);
    },
  );

  test.each(['127.0.0.1', 'localhost'])(
    'a page at another address of %s reads nothing and gets no preflight',
    async (host) => {
      const page = await lureTo(host);
      const read = (init: object) =>
        page.evaluate(
          ({ url, init }) =>
            fetch(url, init).then(
              (answer) => answer.text(),
              () => 'refused',
            ),
          { url: `${gatewayUrl}/platform/v1/leads`, init },
        );
      expect(await read({ credentials: 'include' })).toBe('refused');
      expect(await read({ method: 'DELETE', credentials: 'include' })).toBe('refused');
      expect(await read({ mode: 'no-cors', credentials: 'include' })).toBe('refused');
    },
  );

  test('no page of another address shows the console in a frame', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const page = await lureTo(host);
      for (const path of ['/inbox', '/integrations/keys', '/login']) {
        const answered = page.waitForResponse((response) => response.url().endsWith(path));
        await page.evaluate(`document.querySelector('iframe').src = ${JSON.stringify(addresses.console_url + path)}`);
        const headers = (await answered).headers();
        expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
        expect(headers['x-frame-options']).toBe('DENY');
        await expect.poll(() => page.frame('inner')?.url()).toMatch(/^chrome-error:/);
      }
    }
  });

  test('a page that opened the console in a window has no hold of it', async () => {
    const page = await lureTo('127.0.0.1');
    const opening = page.waitForEvent('popup');
    await page.evaluate(`void (globalThis.opened = window.open(${JSON.stringify(`${addresses.console_url}/inbox`)}))`);
    const popup = await opening;
    await title(popup, 'Inbox').waitFor();
    expect(await popup.evaluate('window.opener')).toBeNull();
    await expect.poll(() => page.evaluate('opened.closed')).toBe(true);
  });
});

test('the answers to a wrong password do not tell who has an account', async () => {
  const { email } = await invitePerson(store);
  const attempt = async (address: string) => {
    const { status, body } = await askAsPage('POST', '/session', {
      body: { email: address, password: 'not this one' },
    });
    const { request_id: _, ...rest } = body;
    return { status, ...rest };
  };
  expect(await attempt(email)).toEqual(await attempt('unknown@example.com'));
  expect((await request('GET', '/store', { key: store.key })).status).toBe(200);
});
