import type { Log } from '@mostrador/kit/process/log';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { addProxyWatch } from './proxy-watch.ts';

/** An app behind these trusted proxies, and what it logged. */
async function watched(trustProxy: string | false) {
  const logged: object[] = [];
  const log = { warn: (values: object) => void logged.push(values) } as unknown as Log;
  const app = fastify({ trustProxy });
  addProxyWatch(app, { log });
  const warnings = app.warnings;
  app.get('/', async () => 'ok');
  const ask = (headers: Record<string, string>, remoteAddress = '10.0.0.5') =>
    app.inject({ url: '/', headers, remoteAddress });
  return { ask, warnings, logged };
}
const forwarded = { 'x-forwarded-for': '203.0.113.7' };

test.each([
  ['no proxy is trusted', false, forwarded],
  ['another proxy is trusted', '10.0.0.6', forwarded],
  ['the standard header comes from a proxy that is not trusted', false, { forwarded: 'for=203.0.113.7' }],
  ['only the header that is not read comes from a trusted proxy', '10.0.0.5', { forwarded: 'for=203.0.113.7' }],
])('when %s, it warns, and logs it once', async (_what, trusted, headers) => {
  const { ask, warnings, logged } = await watched(trusted as string | false);
  expect(warnings()).toEqual([]);
  for (let asked = 0; asked < 3; asked += 1)
    expect((await ask(headers as Record<string, string>)).statusCode).toBe(200);
  expect(warnings()).toEqual([expect.stringContaining('Set `TRUSTED_PROXIES`')]);
  expect(logged).toEqual([{ header: expect.any(String), proxy: '10.0.0.5' }]);
});

test('a trusted proxy, and a request without a proxy, cause no warning', async () => {
  const { ask, warnings } = await watched('10.0.0.0/8');
  await ask(forwarded);
  await ask({});
  await ask({}, '203.0.113.9');
  expect(warnings()).toEqual([]);
});

test('an address that could be a person’s is not logged', async () => {
  const { ask, logged } = await watched(false);
  await ask(forwarded, '203.0.113.9');
  expect(logged).toEqual([{ header: 'X-Forwarded-For', proxy: undefined }]);
});
