import { getCalendarConnection, getChannelConnection } from '@mostrador/contracts';
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
  '/docs',
  '/docs/assets/scalar.js',
  '/docs/guides',
  '/openapi.json',
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

/** Serves the operations that `GET /store` calls. */
async function serveConnections({ serve }: TestGateway): Promise<void> {
  const none = { provider: null, status: 'not_connected' } as const;
  await serve('scheduling', { getCalendarConnection }, { getCalendarConnection: async () => none });
  const channel = { ...none, phone: null, opt_out_stops_api: true };
  await serve('messaging', { getChannelConnection }, { getChannelConnection: async () => channel });
}
