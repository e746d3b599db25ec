import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import {
  changeSandboxMessage,
  describeSandbox,
  getCalendarConnection,
  getChannelConnection,
  handOverSandbox,
  type MessageStatus,
  type ReplyOf,
  readSandboxConversation,
  receiveSandboxMessage,
  reportSandboxReceipts,
} from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { chromiumOptions } from '@mostrador/testing/chromium';
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
let owners: string[] = [];
let storeId: string;
let customers: ReplyOf<typeof describeSandbox>['customers'] = [];
/** When the reply window closes; undefined: the sandbox holds none. */
let windowExpiresAt: string | null | undefined;

const add = (
  phone: string,
  direction: 'inbound' | 'outbound',
  text: string,
  status?: MessageStatus,
  parts: Partial<Conversation[number]> = {},
) => {
  const id = crypto.randomUUID();
  const message = { id, direction, text, at: new Date().toISOString(), ...(status && { status }), ...parts };
  conversations.set(phone, [...(conversations.get(phone) ?? []), message]);
};
const known = ({ token: given }: { token: string }) => {
  if (given !== token) throw new AppError('sandbox_not_found');
};

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.serve(
    'messaging',
    {
      readSandboxConversation,
      receiveSandboxMessage,
      changeSandboxMessage,
      handOverSandbox,
      reportSandboxReceipts,
      describeSandbox,
      getChannelConnection,
    },
    {
      readSandboxConversation: async (_context, { body }) => {
        known(body);
        const messages = conversations.get(body.customer_phone) ?? [];
        const window = windowExpiresAt === undefined ? {} : { window_expires_at: windowExpiresAt };
        return { store_phone: '5511400000001', messages, ...window };
      },
      receiveSandboxMessage: async (_context, { body }) => {
        known(body);
        names.push(body.name);
        const { text = '', type, media, content, reply_to_id } = body;
        add(body.customer_phone, 'inbound', text, 'received', { type, media, content, reply_to_id } as object);
        return { done: true };
      },
      changeSandboxMessage: async (_context, { body }) => {
        known(body);
        const { message_id, reaction, text, deleted } = body;
        const at = new Date().toISOString();
        const changed = (messages: Conversation) =>
          messages.map((each) => ({
            ...each,
            ...(each.id === message_id && {
              ...(reaction && { reactions: [{ emoji: reaction, from: 'lead' as const, at }] }),
              ...(text && { text, edited_at: at }),
              ...(deleted && { text: '', revoked_at: at }),
            }),
          }));
        conversations.set(body.customer_phone, changed(conversations.get(body.customer_phone) ?? []));
        return { done: true };
      },
      handOverSandbox: async (_context, { body }) => {
        known(body);
        owners.push(body.owner);
        return { done: true };
      },
      reportSandboxReceipts: async (_context, { body }) => {
        known(body);
        const messages = conversations.get(body.customer_phone) ?? [];
        conversations.set(
          body.customer_phone,
          messages.map((each) => (each.direction === 'outbound' ? { ...each, status: body.status } : each)),
        );
        return { done: true };
      },
      describeSandbox: async (_context, { body }) => {
        known(body);
        return { store_id: storeId, customers };
      },
      getChannelConnection: async () => ({
        ...{ provider: 'sandbox', status: 'connected', phone: null },
        opt_out_stops_api: true,
      }),
    },
  );
  await gateway.serve(
    'scheduling',
    { getCalendarConnection },
    { getCalendarConnection: async () => ({ provider: null, status: 'not_connected' }) },
  );
  storeId = (await gateway.newStore()).store.id;
});
beforeEach(() => {
  conversations = new Map();
  names = [];
  owners = [];
  customers = [];
  windowExpiresAt = undefined;
});
afterAll(() => gateway?.stop());

const url = `/sandbox/${token}`;
const phone = '5511988887777';
const written = { customer_phone: phone, name: 'Ana', text: 'Olá! 👋' };
const seen = { customer_phone: phone, status: 'read' };
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

test('a telephone writes 60 times a minute, and another one is not delayed', async () => {
  const unknown = (name: string) => `/sandbox/${name.repeat(43)}/messages`;
  for (let sent = 0; sent < 60; sent += 1) expect((await post(written, unknown('a'))).statusCode).toBe(404);
  const refused = await post(written, unknown('a'));
  expect([refused.statusCode, refused.json().code]).toEqual([429, 'quota_exceeded']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await post(written, unknown('b'))).statusCode).toBe(404);
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
    const about = await gateway.app.inject({ url: `/sandbox/${other}/about` });
    const receipts = await post(seen, `/sandbox/${other}/receipts`);
    for (const answer of [await read(path), await post(written, path), about, receipts]) {
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'sandbox_not_found']);
    }
  }
});

test('what the telephone reports reaches messaging, and a malformed report does not', async () => {
  add(phone, 'outbound', 'Hi', 'sent');
  expect((await post(seen, `${url}/receipts`)).json()).toEqual({ done: true });
  expect((await read()).json()).toMatchObject({ messages: [{ status: 'read' }] });
  for (const body of [[], {}, { ...seen, status: 'failed' }, { ...seen, customer_phone: '+1' }]) {
    const answer = await post(body, `${url}/receipts`);
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'validation_failed']);
  }
});

test('the page learns the store’s name and language and its customers, and no id', async () => {
  customers = [{ name: 'Ana', customer_phone: phone }];
  const about = () => gateway.app.inject({ url: `${url}/about` });
  expect((await about()).json()).toEqual({ store: { name: 'Padaria do Bairro', locale: 'en' }, customers });
  expect((await about()).headers['cache-control']).toBe('no-store');
  storeId = crypto.randomUUID();
  expect((await about()).json()).toEqual({ store: null, customers });
  storeId = (await gateway.newStore()).store.id;
});

test('nothing on the telephone is purple, which the platform keeps for messages of the API', async () => {
  const html = await readFile(new URL('./telephone.html', import.meta.url), 'utf8');
  const [style = ''] = /(?<=<style>).*(?=<\/style>)/s.exec(html) ?? [];
  const colours = style.match(/#[0-9a-f]{6}\b/g) ?? [];
  expect(colours.length).toBeGreaterThan(15);
  // No colour is written in another way: white is no colour.
  const others = style.replaceAll(/#[0-9a-f]{6}\b|#fff\b|\/\*.*?\*\//gs, '');
  expect(others).not.toMatch(/#[0-9a-f]{3}|rgb|hsl|hwb|lab\(|lch\(|color\(|purple|violet|magenta|plum|orchid/i);
  expect(colours.filter(isPurple)).toEqual([]);
  expect(['#5b34b8', '#e2d7fb', '#b48cff'].filter(isPurple)).toHaveLength(3);
});

/** Whether a colour is between blue and pink on the colour wheel, and not nearly grey. */
function isPurple(colour: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  if (most - least < 8 || blue !== most) return false;
  const hue = 240 + (60 * (red - green)) / (most - least);
  return hue > 245;
}

test('the secret address is not a label of the metrics', async () => {
  await read();
  const metrics = await gateway.metrics.text();
  expect(metrics).toContain('route="/sandbox/:token/messages"');
  expect(metrics).not.toContain(token);
});

const { executablePath: browser } = chromiumOptions;

test.skipIf(!existsSync(browser))(
  `in a browser (skipped when there is none at ${browser}): a customer writes, sees the answers, and is told when the telephone is gone`,
  async () => {
    await gateway.updateStore(storeId, { name: 'Salão Aurora', locale: 'pt-BR' });
    customers = [{ name: 'Beatriz', customer_phone: '5511977776666' }];
    const address = await gateway.app.listen({ host: '127.0.0.1', port: 0 });
    const chrome = await chromium.launch(chromiumOptions);
    try {
      const page = await chrome.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (line) => line.type() === 'error' && faults.push(line.text()));
      await page.goto(`${address}${url}?lang=en`);

      await page.getByRole('heading', { name: 'Salão Aurora' }).waitFor();
      await page.locator('#me').click();
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

      add(phone, 'outbound', 'Seen?', 'sent');
      await shown.nth(2).getByRole('img', { name: 'read' }).waitFor();
      expect(await shown.nth(0).getByRole('img').getAttribute('aria-label')).toBe('received by the store');

      windowExpiresAt = new Date(Date.now() - 1000).toISOString();
      await page.getByText('The reply window is closed').waitFor();
      windowExpiresAt = new Date(Date.now() + 3_600_000).toISOString();
      await page.getByText('The store can write free text until').waitFor();

      const own = shown.nth(0);
      await own.getByText('⋯').click();
      await own.getByRole('button', { name: 'React with 👍' }).click();
      await own.getByText('👍', { exact: true }).first().waitFor();
      await own.getByText('⋯').click();
      await own.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Message').fill('Oi');
      await page.getByRole('button', { name: 'Send' }).click();
      await own.getByText('edited').waitFor();
      // What is edited again is the text alone, without its reaction and marks.
      await own.getByText('⋯').click();
      await own.getByRole('button', { name: 'Edit' }).click();
      expect(await page.getByLabel('Message').inputValue()).toBe('Oi');
      await page.getByRole('button', { name: 'Cancel' }).click();
      expect(await page.getByLabel('Message').inputValue()).toBe('');
      await shown.nth(2).getByText('⋯').click();
      await shown.nth(2).getByRole('button', { name: 'Answer' }).click();
      await page.getByText('You answer: Seen?').waitFor();
      await page.locator('#attach summary').click();
      await page.getByRole('button', { name: 'Location' }).click();
      await shown.nth(3).getByText('Praça da Sé').waitFor();
      expect(await shown.nth(3).locator('blockquote').textContent()).toBe('Seen?');
      expect(await page.getByText('You answer:').isVisible()).toBe(false);
      await shown.nth(3).getByText('⋯').click();
      await shown.nth(3).getByRole('button', { name: 'Delete' }).click();
      await shown.nth(3).getByText('This message was deleted').waitFor();
      expect(await shown.nth(3).getByText('⋯').count()).toBe(0);
      await page.getByLabel('Message').fill('How much?');
      await page.locator('#attach summary').click();
      await page.getByRole('button', { name: 'Send it as from an ad' }).click();
      await shown.nth(4).filter({ hasText: 'How much?' }).getByText('📣 Corte e hidratação').waitFor();
      for (const [name, said] of [
        ['Choice from a list', '45 min, R$ 60'],
        ['Form filled in', 'data: 2027-01-15'],
      ] as const) {
        await page.locator('#attach summary').click();
        await page.getByRole('button', { name }).click();
        await shown.filter({ hasText: name }).filter({ hasText: said }).waitFor();
      }
      for (const [name, owner] of [
        ['Meta’s agent takes the conversation', 'other'],
        ['Meta’s agent passes it to the shop', 'store'],
      ] as const) {
        await page.locator('#attach summary').click();
        await page.getByRole('button', { name }).click();
        await waitFor(() => owners.at(-1) === owner, { description: 'the conversation has another owner' });
      }
      expect(owners).toEqual(['other', 'store']);
      conversations.set(phone, conversations.get(phone)?.slice(0, 3) ?? []);

      await page.reload();
      await waitFor(async () => (await shown.count()) === 3, { description: 'the conversation is still there' });
      await page.goto(`${address}${url}`);
      await page.getByText('Você escreve para').waitFor();
      await page.locator('#me').click();
      await page.getByRole('button', { name: 'Beatriz 5511977776666' }).click();
      await page.getByLabel('Mensagem').fill('Bom dia');
      await page.getByRole('button', { name: 'Enviar' }).click();
      await waitFor(async () => conversations.has('5511977776666'), { description: 'the chosen customer writes' });
      expect(names).toEqual(['Ana', 'Ana', 'Ana', 'Ana', 'Ana', 'Beatriz']);
      await page.goto(`${address}${url}?lang=es-MX`);
      await page.getByText('Escribes a').waitFor();
      expect(faults).toEqual([]);

      await page.goto(`${address}/sandbox/${'x'.repeat(43)}?lang=en`);
      await page.getByRole('alert').filter({ hasText: 'This telephone is gone' }).waitFor();
      expect(await page.getByRole('button', { name: 'Send' }).isVisible()).toBe(false);
      expect(await page.getByText('Write something').isVisible()).toBe(false);
    } finally {
      await chrome.close();
    }
  },
  60_000,
);
