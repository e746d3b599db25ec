import { existsSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import {
  createAppointment,
  type ErrorCode,
  errorCatalogue,
  getCalendarConnection,
  getChannelConnection,
} from '@mostrador/contracts';
import { freePort } from '@mostrador/local-platform/ports';
import { chromiumOptions } from '@mostrador/testing/chromium';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { publicUrl, startTestGateway, type TestGateway } from '../../test/gateway.ts';
import { type Language, languages } from '../languages/language.ts';
import { errorTexts } from '../languages/translate.ts';
import { exampleOf } from '../openapi/examples/index.ts';
import { explain } from './error-pages.ts';
import { guides } from './guides.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

const get = (url: string, headers: Record<string, string> = {}) => gateway.app.inject({ url, headers });

test('the API document is at /openapi.json and /openapi.yaml, and at its earlier addresses', async () => {
  const answer = await get('/openapi.json');
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  expect(answer.json()).toMatchObject({
    openapi: '3.1.0',
    info: { title: 'Mostrador', version: '1.0.0' },
    servers: [{ url: `${publicUrl}/integrations/v1` }, { url: '/integrations/v1' }],
  });
  expect((await get('/docs/json')).body).toBe(answer.body);
  const yaml = await get('/openapi.yaml');
  expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8');
  expect(yaml.body).toMatch(/^openapi: 3\.1\.0\n/);
  expect(parse(yaml.body)).toEqual(answer.json());
  expect((await get('/docs/yaml')).body).toBe(yaml.body);
});

test('a file of the documentation is compressed, and a current copy of it is not sent again', async () => {
  for (const url of ['/openapi.json', '/docs/assets/scalar.js', '/docs/assets/style.css', '/docs']) {
    const [plain, compressed] = [await get(url), await get(url, { 'accept-encoding': 'br' })];
    expect(plain.headers, url).toMatchObject({ 'cache-control': 'public, no-cache', vary: 'Accept-Encoding' });
    expect(compressed.headers, url).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
    expect(brotliDecompressSync(compressed.rawPayload).equals(plain.rawPayload), url).toBe(true);
    expect(compressed.headers.etag).not.toBe(plain.headers.etag);
    for (const { headers } of [plain, compressed]) {
      const again = await get(url, { 'if-none-match': String(headers.etag), 'accept-encoding': 'br' });
      expect([again.statusCode, again.body, again.headers.etag], url).toEqual([304, '', headers.etag]);
    }
  }
});

test('the policy of a page allows scripts and requests only to the reference, and no other host to any', async () => {
  const policies = await Promise.all(
    ['/docs', '/docs/guides', '/docs/errors/lead_exists'].map(
      async (url) => (await get(url)).headers['content-security-policy'],
    ),
  );
  const [reference, ...others] = policies.map(String);
  expect(reference).toContain(`script-src 'self'; connect-src 'self' ${publicUrl}`);
  for (const policy of others)
    expect(policy).toMatch(/^default-src 'none'; style-src 'self'; img-src 'self' data:; base/);
});

test('no link of the documentation is dead: every page, file, section and operation that one names exists', async () => {
  const operations = new Set(
    Object.values((await get('/openapi.json')).json().paths as Record<string, Record<string, unknown>>)
      .flatMap((item) => Object.values(item) as { operationId?: string; tags?: string[] }[])
      .map(({ operationId, tags }) => `tag/${tags?.[0]?.toLowerCase().replaceAll(' ', '-')}/${operationId}`),
  );
  const { description } = (await get('/openapi.json')).json().info;
  const inDescription = [...description.matchAll(/\]\((\/[^)]+)\)/g)].map(([, address]) => address as string);
  expect(inDescription.length).toBeGreaterThan(1);
  const open = ['/docs', ...inDescription];
  const bodies = new Map<string, string>();
  const dead: string[] = [];
  let links = 0;
  for (let address = open.pop(); address !== undefined; address = open.pop()) {
    links += 1;
    const [path = '', anchor] = address.split('#');
    let body = bodies.get(path);
    if (body === undefined) {
      const answer = await get(path);
      body = answer.statusCode === 200 ? answer.body : '';
      bodies.set(path, body);
      const isPage = String(answer.headers['content-type']).startsWith('text/html');
      const found = isPage ? [...body.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, found]) => found ?? '') : [];
      const addresses = found
        .filter((each) => !each.startsWith('data:'))
        .map((each) => new URL(each, publicUrl + path));
      // No test asks other servers.
      const inside = addresses.filter(({ origin }) => origin === new URL(publicUrl).origin);
      open.push(...inside.map(({ pathname, search, hash }) => pathname + search + hash));
    }
    const isThere =
      anchor === undefined || (path === '/docs' ? operations.has(anchor) : body.includes(`id="${anchor}"`));
    if (body === '' || !isThere) dead.push(address);
  }
  expect(dead).toEqual([]);
  for (const guide of Object.keys(guides))
    for (const lang of ['', '?lang=en', '?lang=pt-BR'])
      expect([...bodies.keys()]).toContain(`/docs/guides/${guide}${lang}`);
  expect(links).toBeGreaterThan(200);
});

const inEachLanguage = Object.keys(languages) as Language[];

test.each(Object.entries(guides))(
  'the guide %s begins with its title and is linked from the list',
  async (name, guide) => {
    for (const language of inEachLanguage) {
      const { title, about } = guide[language];
      const { body } = await get(`/docs/guides/${name}?lang=${language}`);
      expect(body).toMatch(new RegExp(`<main class="text">\\s*<h1 id="[\\w-]+">${title}</h1>`));
      const { body: list } = await get(`/docs/guides?lang=${language}`);
      expect(list).toContain(`<a href="/docs/guides/${name}?lang=${language}">${title}</a><br>${about}`);
    }
  },
);

test.each(Object.keys(errorCatalogue) as ErrorCode[])(
  'the page of %s, which its problem documents name, has the cause, the remedy and an example',
  async (code) => {
    for (const language of inEachLanguage) {
      const { body, statusCode } = await get(`/docs/errors/${code}?lang=${language}`);
      expect(statusCode).toBe(200);
      const { cause, remedy } = explain(code, language);
      expect(cause.length).toBeGreaterThan(10);
      expect(remedy.length).toBeGreaterThan(10);
      const [, example = ''] = /<h2>(?:Example|Exemplo)<\/h2>\s*<pre[^>]*><code>([^<]+)<\/code>/.exec(body) ?? [];
      const problem = JSON.parse(example.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&'));
      const { status } = errorCatalogue[code];
      const { title } = errorTexts(code, language);
      expect(problem).toMatchObject({ type: `${publicUrl}/docs/errors/${code}`, title, status, code });
    }
  },
);

test.each([
  ['/docs/guides', 'Accept-Language, Accept-Encoding'],
  ['/docs/guides/errors', 'Accept-Language, Accept, Accept-Encoding'],
  ['/docs/errors', 'Accept-Language, Accept-Encoding'],
  ['/docs/errors/lead_exists', 'Accept-Language, Accept-Encoding'],
])('%s is in the language that Accept-Language prefers, and caches keep the languages apart', async (url, vary) => {
  const english = await get(url);
  const portuguese = await get(url, { 'accept-language': 'pt-PT, en;q=0.5' });
  expect(english.body).toContain('<html lang="en">');
  expect(portuguese.body).toContain('<html lang="pt-BR">');
  expect([english, portuguese].map(({ headers }) => headers['content-language'])).toEqual(['en', 'pt-BR']);
  for (const { headers } of [english, portuguese]) expect(headers.vary).toBe(vary);
  const changed = await get(url, { 'accept-language': 'pt', 'if-none-match': String(english.headers.etag) });
  expect([changed.statusCode, changed.body]).toEqual([200, portuguese.body]);
  const current = await get(url, { 'accept-language': 'pt', 'if-none-match': String(portuguese.headers.etag) });
  expect([current.statusCode, current.headers.vary]).toEqual([304, vary]);
});

test('a reader chooses the language with ?lang=, whatever the browser prefers, and keeps it in the links', async () => {
  const page = await get('/docs/guides/errors', { 'accept-language': 'pt' });
  expect(page.body).toContain('<link rel="alternate" hreflang="en" href="?lang=en">');
  expect(page.body).toContain('<link rel="alternate" hreflang="pt-BR" href="?lang=pt-BR">');
  expect(page.body).toContain('<a href="?lang=en" hreflang="en" lang="en" title="English">EN</a>');
  expect(page.body).toContain('href="/docs/guides/authentication"');
  const english = await get('/docs/guides/errors?lang=en', { 'accept-language': 'pt' });
  expect(english.headers).toMatchObject({ 'content-language': 'en', vary: 'Accept, Accept-Encoding' });
  expect(english.body).toContain('<a href="?lang=pt-BR" hreflang="pt-BR" lang="pt-BR" title="Português">PT</a>');
  expect(english.body).toContain('href="/docs/guides/authentication?lang=en"');
  const { body: unknown } = await get('/docs/guides/errors?lang=tlh&lang=pt-BR', { 'accept-language': 'pt' });
  expect(unknown).toBe(page.body);
});

const linksIn = (text: string) => [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, address]) => address ?? '');

test('/llms.txt lists the API document and each guide as Markdown, whose links lead on, and pages name it', async () => {
  const { body, headers } = await get('/llms.txt');
  expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(body).toMatch(/^# Mostrador\n\n> .+\n\n/);
  expect([...body.matchAll(/^## (.+)$/gm)].map(([, name]) => name)).toEqual(['Reference', 'Guides', 'Optional']);
  expect((await get('/docs/guides')).body).toContain('href="/llms.txt"');
  const addresses = linksIn(body);
  expect(addresses).toEqual(
    expect.arrayContaining([`${publicUrl}/openapi.json`, `${publicUrl}/docs/guides/events.md`]),
  );
  for (const address of addresses) {
    const path = address.replace(publicUrl, '');
    const answer = await get(path);
    expect(answer.statusCode, address).toBe(200);
    if (!path.includes('.md')) continue;
    expect(answer.headers['content-type'], address).toBe('text/markdown; charset=utf-8');
    const inside = linksIn(answer.body).filter((each) => !/^(https?:|#)/.test(each));
    expect(
      inside.filter((each) => !each.startsWith('/docs/')),
      address,
    ).toEqual([]);
    for (const each of inside) expect((await get(each.replace(/#.*/, ''))).statusCode, `${address}: ${each}`).toBe(200);
  }
  for (const guide of Object.keys(guides))
    for (const query of ['', '?lang=pt-BR'])
      expect(addresses).toContain(`${publicUrl}/docs/guides/${guide}.md${query}`);
});

test('a guide is Markdown for a program that asks for it, and HTML for a browser and for any other client', async () => {
  const asked = async (url: string, accept?: string) =>
    String((await get(url, accept === undefined ? {} : { accept })).headers['content-type']).split(';')[0];
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  for (const accept of [undefined, '*/*', browser, 'text/*', 'text/markdown;q=0.5, text/html', 'text/markdown;q=0'])
    expect(await asked('/docs/guides/events', accept), accept).toBe('text/html');
  for (const accept of ['text/markdown', 'text/markdown, text/html, */*', 'text/html;q=0.8, text/markdown'])
    expect(await asked('/docs/guides/events', accept), accept).toBe('text/markdown');
  expect(await asked('/docs/guides/events.md', browser)).toBe('text/markdown');
  const page = (await get('/docs/guides/events?lang=pt-BR')).body;
  expect(page).toContain('<link rel="alternate" type="text/markdown" href="/docs/guides/events.md?lang=pt-BR">');
  expect((await get('/docs/guides/events.md?lang=pt-BR')).body).toMatch(/^# Eventos\n/);
  expect((await get('/docs/guides/none.md')).json().code).toBe('route_not_found');
});

test('a heading has the same anchor in each language, so that a link suits every reader', async () => {
  for (const guide of Object.keys(guides)) {
    const pages = await Promise.all(inEachLanguage.map((language) => get(`/docs/guides/${guide}?lang=${language}`)));
    const [english, ...others] = pages.map(({ body }) => [...body.matchAll(/<h\d id="([^"]+)"/g)].map(([, id]) => id));
    expect(english?.length).toBeGreaterThan(1);
    for (const ids of others) expect(ids).toEqual(english);
  }
});

test.each(['/docs/guides/%00', '/docs/errors/a%5c%00..', '/docs/assets/%00'])(
  'a page whose name has a NUL byte is a client error, not an error of the gateway: %s',
  async (address) => {
    const answer = await get(address);
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'route_not_found']);
  },
);

test('an unknown guide, error or file is 404', async () => {
  for (const url of ['/docs/guides/none', '/docs/errors/toString', '/docs/assets/nothing.js', '/docs/static/x'])
    expect([(await get(url)).statusCode, (await get(url)).json().code], url).toEqual([404, 'route_not_found']);
});

test('switched off, the reference, the guides and the document are 404, and the pages of errors stay', async () => {
  const off = await startTestGateway({ docs: false });
  try {
    for (const url of [
      '/docs',
      '/docs/',
      '/docs/json',
      '/openapi.json',
      '/openapi.yaml',
      '/docs/guides',
      '/llms.txt',
    ]) {
      const answer = await off.app.inject({ url });
      expect([answer.statusCode, answer.json().code], url).toEqual([404, 'route_not_found']);
    }
    for (const url of ['/docs/errors/route_not_found', '/docs/errors', '/docs/assets/style.css'])
      expect((await off.app.inject({ url })).statusCode).toBe(200);
  } finally {
    await off.stop();
  }
});

const { executablePath: browser } = chromiumOptions;

test.skipIf(!existsSync(browser))(
  `in a browser (skipped when there is none at ${browser}): requests go out as prefilled, the key is stored nowhere, no other host is asked, and an injected script does not run`,
  async () => {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const open = await startTestGateway({ publicUrl: address });
    let chrome: Browser | undefined;
    try {
      await open.app.listen({ host: '127.0.0.1', port });
      const { apiKey: key, store } = await open.newStore();
      const sent: unknown[] = [];
      await serve(open, sent);
      chrome = await chromium.launch(chromiumOptions);
      const context = await chrome.newContext();
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      const faults: string[] = [];
      const hosts = new Set<string>();
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (line) => line.type() === 'error' && faults.push(line.text()));
      page.on('request', (request) => request.url().startsWith('http') && hosts.add(new URL(request.url()).origin));

      await page.goto(`${address}/docs`);
      await page.getByRole('textbox', { name: 'Value' }).or(page.locator('input[type=text]')).first().fill(key);
      expect(await tryOperation(page, 'store', 'stores.get')).toContain(store.id);
      expect(await tryOperation(page, 'appointments', 'appointments.create')).toContain('Exame de vista');
      expect(sent).toEqual([{ ...exampleOf(createAppointment)?.request }.body]);

      const stored = await page.evaluate(
        'indexedDB.databases().then((databases) => [{ ...localStorage }, { ...sessionStorage }, databases, document.cookie])',
      );
      expect(JSON.stringify([stored, await context.cookies()])).not.toContain(key);
      expect((stored as [object, object, unknown[], string])[2]).toEqual([]);
      expect([...hosts]).toEqual([address]);
      expect(faults).toEqual([]);

      await page.addScriptTag({ content: 'globalThis.injected = true' }).catch(() => {});
      expect(await page.evaluate('globalThis.injected')).toBeUndefined();
      expect(faults.join()).toContain('Content Security Policy');

      // The page fits into the width of a telephone, in both colour schemes.
      await page.setViewportSize({ width: 390, height: 844 });
      for (const path of ['/docs', '/docs/guides/idempotency', '/docs/errors/lead_exists']) {
        // The reference, which is large, is open already.
        if (path !== '/docs') await page.goto(`${address}${path}`);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), path).toBe(true);
        }
      }
    } finally {
      await chrome?.close();
      await open.stop();
    }
  },
  180_000,
);

/** Sends the request of an operation as the page has filled it in, and returns the text of the answer. */
async function tryOperation(page: Page, tag: string, operationId: string): Promise<string> {
  await page.goto(`${page.url().split('#', 1)[0]}#tag/${tag}/${operationId}`);
  const operation = page.locator(`[id$="tag/${tag}/${operationId}"]`);
  await operation.getByRole('button', { name: 'Test Request' }).click();
  const answer = page.waitForResponse((response) => response.url().includes('/integrations/v1/'));
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Send/ }).first().click();
  const text = await (await answer).text();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  return text;
}

async function serve({ serve }: TestGateway, sent: unknown[]): Promise<void> {
  const none = { provider: null, status: 'not_connected' } as const;
  await serve(
    'scheduling',
    { getCalendarConnection, createAppointment },
    {
      getCalendarConnection: async () => none,
      createAppointment: async (_context, { body }) => {
        sent.push(body);
        return exampleOf(createAppointment)?.reply as never;
      },
    },
  );
  const channel = { ...none, phone: null, opt_out_stops_api: true };
  await serve('messaging', { getChannelConnection }, { getChannelConnection: async () => channel });
}
