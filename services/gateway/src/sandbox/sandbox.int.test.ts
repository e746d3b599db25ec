import { existsSync } from 'node:fs';
import { type ReplyOf, readSandboxConversation, receiveSandboxMessage } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { waitFor } from '@mostrador/testing/wait';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';

type Conversation = ReplyOf<typeof readSandboxConversation>['messages'];

const token = 'Secret-token_of-the-sandbox-0123456789abcdef';
let gateway: TestGateway;
/** The conversations of the stand-in for messaging, by the customer's phone. */
let conversations = new Map<string, Conversation>();
let names: string[] = [];

const add = (phone: string, direction: 'inbound' | 'outbound', text: string) => {
  const message = { id: crypto.randomUUID(), direction, text, at: new Date().toISOString() };
  conversations.set(phone, [...(conversations.get(phone) ?? []), message]);
};

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.serve(
    'messaging',
    { readSandboxConversation, receiveSandboxMessage },
    {
      readSandboxConversation: async (_context, { body }) => {
        if (body.token !== token) throw new AppError('sandbox_not_found');
        return { store_phone: '5511400000001', messages: conversations.get(body.customer_phone) ?? [] };
      },
      receiveSandboxMessage: async (_context, { body }) => {
        if (body.token !== token) throw new AppError('sandbox_not_found');
        names.push(body.name);
        add(body.customer_phone, 'inbound', body.text);
        return { done: true };
      },
    },
  );
});
beforeEach(() => {
  conversations = new Map();
  names = [];
});
afterAll(() => gateway?.stop());

const url = `/sandbox/${token}`;
const phone = '5511988887777';
const written = { customer_phone: phone, name: 'Ana', text: 'Olá! 👋' };
const post = (payload: object, path = `${url}/messages`) => gateway.app.inject({ url: path, method: 'POST', payload });
const read = (path = `${url}/messages`) => gateway.app.inject({ url: path, query: { customer_phone: phone } });

test('the page runs only its own script, calls only its own origin and has no external URL', async () => {
  const page = await gateway.app.inject({ url });
  expect(page.statusCode).toBe(200);
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'referrer-policy': 'no-referrer',
    'content-security-policy': expect.stringMatching(
      /default-src 'none'; script-src 'sha256-.+'; .*connect-src 'self'/,
    ),
  });
  expect(page.body).not.toMatch(/https?:\/\//);
});

test("a customer's message appears in the conversation", async () => {
  const answer = await post(written);
  expect([answer.statusCode, answer.json()]).toEqual([200, { done: true }]);
  expect((await read()).json()).toMatchObject({ messages: [{ direction: 'inbound', text: 'Olá! 👋' }] });
});

test.each([[], 'x', { ...written, text: '' }, { ...written, customer_phone: '+55' }, { ...written, more: 1 }])(
  '%j is rejected with its error code',
  async (body) => {
    const answer = await post(body as object);
    expect([answer.statusCode, answer.json().code]).toEqual([
      ...(typeof body === 'string' ? [415, 'unsupported_media_type'] : [400, 'validation_failed']),
    ]);
  },
);

test('a body nested deeper than the stack gets 400, and the error names the limit', async () => {
  for (const depth of [65, 40_000]) {
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    for (const body of [deep, `{"deep":${deep}}`]) {
      const headers = { 'content-type': 'application/json' };
      const answer = await gateway.app.inject({ url: `${url}/messages`, method: 'POST', payload: body, headers });
      expect([answer.statusCode, answer.json().code]).toEqual([400, 'validation_failed']);
      expect(answer.json().errors).toEqual([{ pointer: '#', detail: 'must not be nested more than 64 deep' }]);
    }
  }
});

test('an invalid body is rejected without a request to messaging', async () => {
  const calls = vi.spyOn(gateway.rpc, 'call');
  const answer = await post({ ...written, text: 'x'.repeat(5000) });
  expect([answer.statusCode, answer.json().code]).toEqual([400, 'validation_failed']);
  expect(calls).not.toHaveBeenCalled();
  calls.mockRestore();
});

test('an unknown address gets 404, whatever its length', async () => {
  for (const other of ['short', 'x'.repeat(43), 'x'.repeat(500)]) {
    const path = `/sandbox/${other}/messages`;
    for (const answer of [await read(path), await post(written, path)]) {
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'sandbox_not_found']);
    }
  }
});

test('the secret address is not a label of the metrics', async () => {
  await read();
  const metrics = await gateway.app.inject({ url: '/metrics' });
  expect(metrics.body).toContain('route="/sandbox/:token/messages"');
  expect(metrics.body).not.toContain(token);
});

const browser = process.env.CHROMIUM || '/usr/bin/chromium';

test.skipIf(!existsSync(browser))(
  `in a browser (skipped when there is none at ${browser}): a customer writes, sees the answers, and is told when the telephone is gone`,
  async () => {
    const address = await gateway.app.listen({ host: '127.0.0.1', port: 0 });
    const chrome = await chromium.launch({ executablePath: browser, args: ['--no-sandbox', '--disable-gpu'] });
    try {
      const page = await chrome.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (line) => line.type() === 'error' && faults.push(line.text()));
      await page.goto(`${address}${url}`);

      await page.locator('summary').click();
      await page.getByLabel('Your name').fill('Ana');
      await page.getByLabel(/Your phone/).fill(phone);
      await page.getByRole('button', { name: 'Be this customer' }).click();
      await page.getByLabel('Message').fill('Olá! <b>👋</b>');
      await page.getByLabel('Message').press('Enter');

      const shown = page.getByRole('log').getByRole('listitem');
      await shown.filter({ hasText: 'Olá! <b>👋</b>' }).waitFor();
      expect(names).toEqual(['Ana']);
      expect(await page.getByLabel('Message').inputValue()).toBe('');

      const long = `First line\n${'abcdefghij'.repeat(300)}`;
      add(phone, 'outbound', long);
      const answer = shown.nth(1);
      await answer.waitFor();
      expect(await answer.textContent()).toContain(long);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

      await page.reload();
      await waitFor(async () => (await shown.count()) === 2, { description: 'the conversation is still there' });
      expect(faults).toEqual([]);

      await page.goto(`${address}/sandbox/${'x'.repeat(43)}`);
      await page.getByRole('alert').filter({ hasText: 'This telephone is gone' }).waitFor();
      expect(await page.getByRole('button', { name: 'Send' }).isVisible()).toBe(false);
      expect(await page.getByText('Write something').isVisible()).toBe(false);
    } finally {
      await chrome.close();
    }
  },
  60_000,
);
