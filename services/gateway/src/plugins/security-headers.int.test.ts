import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { getCalendarConnection, getChannelConnection } from '@mostrador/contracts';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';

let gateway: TestGateway;
let apiKey: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  await serveConnections(gateway);
  ({ apiKey } = await gateway.newStore());
});
afterAll(() => gateway?.stop());

const get = (url: string, headers: Record<string, string> = {}) => gateway.app.inject({ url, headers });
const nothing = "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'";

const everywhere = {
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

test.each([
  ['a response', 200, '/integrations/v1/store', () => ({ 'x-api-key': apiKey })],
  ['an authentication error', 401, '/integrations/v1/store', () => ({})],
  ['a not-found error', 404, '/integrations/v1/nothing', () => ({ 'x-api-key': apiKey })],
])('%s of the API is not cached, and its policy forbids loading and framing', async (_what, status, url, key) => {
  const answer = await get(url, key());
  expect(answer.statusCode).toBe(status);
  expect(answer.headers).toMatchObject({
    ...everywhere,
    'content-security-policy': nothing,
    'cache-control': 'no-store',
  });
});

test.each([
  '/healthz',
  '/readyz',
  '/metrics',
  '/docs',
  '/docs/json',
  '/docs/errors',
  '/sandbox/0123456789012345678901',
])('%s has the security headers, and its policy forbids framing and form submission', async (url) => {
  const { headers } = await get(url);
  expect(headers).toMatchObject(everywhere);
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(headers['content-security-policy']).toContain("form-action 'none'");
});

test('a gateway whose public URL is HTTP sends no Strict-Transport-Security', async () => {
  const plain = await startTestGateway({ publicUrl: 'http://127.0.0.1:8080' });
  try {
    const { headers } = await plain.app.inject({ url: '/healthz' });
    expect(headers).not.toHaveProperty('strict-transport-security');
    expect(headers['x-content-type-options']).toBe('nosniff');
  } finally {
    await plain.stop();
  }
});

const browser = process.env.CHROMIUM || '/usr/bin/chromium';

test.skipIf(!existsSync(browser))(
  `in a browser (skipped when there is none at ${browser}): the documentation page sends a request, stores no key, and an injected script does not run`,
  async () => {
    const port = await freePort();
    const open = await startTestGateway({ publicUrl: `http://127.0.0.1:${port}` });
    const chrome = await chromium.launch({ executablePath: browser, args: ['--no-sandbox', '--disable-gpu'] });
    try {
      const address = await open.app.listen({ host: '127.0.0.1', port });
      const { apiKey: key, store } = await open.newStore();
      await serveConnections(open);
      const page = await chrome.newPage();
      page.setDefaultTimeout(60_000);
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (line) => line.type() === 'error' && faults.push(line.text()));
      await page.goto(`${address}/docs`);
      await page.getByRole('button', { name: 'Authorize' }).first().click();
      await page.locator('.auth-container input').fill(key);
      await page.locator('.auth-container button.authorize').click();
      await page.locator('.auth-container .btn-done').click();
      const operation = page.locator('.opblock', { has: page.locator('[data-path="/store"]') });
      await operation.locator('.opblock-summary').click();
      await operation.getByRole('button', { name: 'Execute' }).click();
      await operation.locator('.live-responses-table .response', { hasText: store.id }).first().waitFor();
      expect(faults).toEqual([]);
      expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain(key);

      await page.addScriptTag({ content: 'globalThis.injected = true' }).catch(() => {});
      expect(await page.evaluate('globalThis.injected')).toBeUndefined();
      expect(faults.join()).toContain('Content Security Policy');
    } finally {
      await chrome.close();
      await open.stop();
    }
  },
  120_000,
);

/** Serves the operations that `GET /store` calls. */
async function serveConnections({ serve }: TestGateway): Promise<void> {
  const none = { provider: null, status: 'not_connected' } as const;
  await serve('scheduling', { getCalendarConnection }, { getCalendarConnection: async () => none });
  await serve('messaging', { getChannelConnection }, { getChannelConnection: async () => ({ ...none, phone: null }) });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
