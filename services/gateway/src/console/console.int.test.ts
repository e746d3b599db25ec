import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';
import { consolePolicy } from './add-console.ts';

const html =
  '<!doctype html><script>const theme = 1;</script><script type="module" src="/console/assets/a.js"></script>';
const script = `export const words = '${'words '.repeat(500)}';`;
let folder: string;
let gateway: TestGateway;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mostrador-console-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), html);
  await writeFile(join(folder, 'assets/app-Ab1_-x.js'), script);
  await writeFile(join(folder, 'secret.txt'), 'secret');
  gateway = await startTestGateway({ consoleDirectory: folder });
});
afterAll(async () => {
  await gateway?.stop();
  await rm(folder, { recursive: true });
});
const get = (url: string, headers: Record<string, string> = {}) => gateway.app.inject({ url, headers });

test.each(['/console', '/console/', '/console/login', '/console/inbox/0198c1f4?filter=open', '/console/no/such/page'])(
  '%s is the page of the console, which browsers check each time',
  async (url) => {
    const answer = await get(url);
    expect([answer.statusCode, answer.body]).toEqual([200, html]);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': consolePolicy(html),
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
    expect((await get(url, { 'if-none-match': String(answer.headers.etag) })).statusCode).toBe(304);
  },
);

test('the policy allows this origin and the one inline script, nothing else', () => {
  expect(consolePolicy(html)).toMatch(
    /^default-src 'none'; script-src 'self' 'sha256-[\w+/]{43}='; style-src 'self'; /,
  );
  expect(consolePolicy(html)).not.toMatch(/unsafe|\*|https?:/);
});

test('browsers keep the files of the build for good, and the gateway compresses them once', async () => {
  const answer = await get('/console/assets/app-Ab1_-x.js', { 'accept-encoding': 'br' });
  expect(answer.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'br',
  });
  expect(answer.rawPayload.length).toBeLessThan(script.length / 2);
});

test.each(['/console/assets/unknown.js', '/console/assets/..%2Fsecret.txt', '/console/assets/%2e%2e%2fsecret.txt'])(
  '%s is no file of the build',
  async (url) => {
    const answer = await get(url);
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'route_not_found']);
    expect(answer.headers['cache-control'] ?? '').not.toContain('immutable');
  },
);

test('without a build there is no console', async () => {
  const without = await startTestGateway();
  try {
    expect((await without.app.inject({ url: '/console' })).statusCode).toBe(404);
  } finally {
    await without.stop();
  }
});
