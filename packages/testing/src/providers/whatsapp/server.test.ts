import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { startWhatsappServer, type WhatsappServer, type WhatsappSettings } from './server.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const customer = '5511999990000';

async function start(settings: Partial<WhatsappSettings> = {}): Promise<WhatsappServer> {
  const whatsapp = await startWhatsappServer(settings);
  closing.push(() => whatsapp.close());
  return whatsapp;
}
async function send({ apiUrl, settings }: WhatsappServer, more: object = {}) {
  const answer = await fetch(`${apiUrl}/${settings.phoneNumberId}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${settings.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      messaging_product: 'whatsapp',
      to: customer,
      type: 'text',
      text: { body: 'Hello' },
      biz_opaque_callback_data: 'ours',
      ...more,
    }),
  });
  const body = (await answer.json()) as { error?: { code: number }; messages?: { id: string }[] };
  return { status: answer.status, code: body.error?.code, id: body.messages?.[0]?.id };
}
/** A receiver of webhooks. */
async function receiver() {
  const received: { signed: boolean; body: Record<string, never> }[] = [];
  let refusals = 0;
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request);
    const expected = `sha256=${createHmac('sha256', 'app-secret').update(bytes).digest('hex')}`;
    const refuse = refusals > 0;
    if (refuse) refusals -= 1;
    else
      received.push({
        signed: request.headers['x-hub-signature-256'] === expected,
        body: JSON.parse(bytes.toString()),
      });
    response.writeHead(refuse ? 503 : 200).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  const values = () => received.map(({ body }) => (body as never as Payload).entry[0].changes[0].value);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`,
    received,
    values,
    refuse(times: number) {
      refusals = times;
    },
  };
}
type Payload = {
  entry: [{ changes: [{ value: { statuses?: [{ id: string; status: string }]; messages?: object[] } }] }];
};

test.each([
  ['v23.0', 'messaging_limit_tier', { messaging_limit_tier: 'TIER_250' }],
  ['v23.0', 'whatsapp_business_manager_messaging_limit', undefined],
  ['v24.0', 'messaging_limit_tier', {}],
  ['v24.0', 'whatsapp_business_manager_messaging_limit', { whatsapp_business_manager_messaging_limit: 'TIER_250' }],
  ['v24.0', 'quality', undefined],
  ['v25.0', 'status,quality_rating', { status: 'CONNECTED', quality_rating: 'GREEN' }],
])('a number of %s answers %s only where the version has it', async (version, fields, says) => {
  const { apiUrl, settings } = await start();
  const ask = async (authorization: string) => {
    const url = `${apiUrl.replace('v23.0', version)}/${settings.phoneNumberId}?fields=${fields}`;
    const answer = await fetch(url, { headers: { authorization } });
    return { status: answer.status, body: await answer.json() };
  };
  const answer = await ask(`Bearer ${settings.accessToken}`);
  if (says) expect(answer).toEqual({ status: 200, body: { ...says, id: settings.phoneNumberId } });
  else expect(answer).toMatchObject({ status: 400, body: { error: { code: 100 } } });
  expect(await ask('Bearer other')).toMatchObject({ status: 401, body: { error: { code: 190 } } });
});

test('a text is accepted only within the reply window, and a template at any time', async () => {
  const whatsapp = await start();
  expect(await send(whatsapp)).toMatchObject({ status: 400, code: 131047 });
  await whatsapp.customerWrites({ from: customer, text: 'Hi' });
  expect(await send(whatsapp)).toMatchObject({ status: 200 });
  whatsapp.settings.windowHours = -1;
  expect(await send(whatsapp)).toMatchObject({ status: 400, code: 131047 });
  const template = { type: 'template', text: undefined, template: { name: 'hello', language: { code: 'en' } } };
  expect(await send(whatsapp, template)).toMatchObject({ status: 200 });
  const taken = whatsapp.log.map(({ type, callbackData }) => `${type} ${callbackData}`);
  expect([taken.at(0), taken.at(-1)]).toEqual(['text ours', 'template ours']);
});

test('a call of the customer opens the window for 24 hours from when it was placed', async () => {
  const whatsapp = await start();
  const at = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  await whatsapp.customerCalls({ phone: customer }, { at: at(24.1) });
  expect(await send(whatsapp)).toMatchObject({ status: 400, code: 131047 });
  await whatsapp.customerCalls({ phone: customer }, { at: at(23.9) });
  await whatsapp.customerCalls({ phone: customer }, { at: at(25) });
  expect(await send(whatsapp)).toMatchObject({ status: 200 });
});

test('the pair and the number each have a rate limit', async () => {
  const whatsapp = await start({ pairBurst: 2, numberRate: 3 });
  for (const from of [customer, '5511999990001']) await whatsapp.customerWrites({ from, text: 'Hi' });
  const codes = [];
  for (let count = 0; count < 3; count += 1) codes.push((await send(whatsapp)).code);
  expect(codes).toEqual([undefined, undefined, 131056]);
  expect((await send(whatsapp, { to: '5511999990001' })).code).toBe(130429);
});

test('a wrong token, number or body is refused with Meta’s error', async () => {
  const whatsapp = await start();
  expect(await send({ ...whatsapp, settings: { ...whatsapp.settings, accessToken: 'old' } })).toMatchObject({
    status: 401,
    code: 190,
  });
  expect(await send({ ...whatsapp, settings: { ...whatsapp.settings, phoneNumberId: '1' } })).toMatchObject({
    code: 100,
  });
  expect(await send(whatsapp, { text: { body: 'x'.repeat(4097) } })).toMatchObject({ code: 100 });
  expect(whatsapp.log).toEqual([]);
});

test('webhooks are signed, posted in the given order, and retried until they are answered with 200', async () => {
  const { url, received, values, refuse } = await receiver();
  const whatsapp = await start({ webhookUrl: url });
  refuse(2);
  expect(await whatsapp.customerWrites({ from: customer, text: 'Hi' }, { from: customer, text: 'You there?' })).toBe(
    200,
  );
  whatsapp.next({ statuses: ['read', 'sent'], repeat: 2 });
  const { id } = await send(whatsapp);
  await expect.poll(() => received.length).toBe(5);
  await whatsapp.reported();
  expect(received.every(({ signed }) => signed)).toBe(true);
  expect(values()[0]?.messages).toHaveLength(2);
  const statuses = values().flatMap(({ statuses = [] as never }) => [...statuses]);
  expect(statuses.map(({ status }) => status)).toEqual(['read', 'read', 'sent', 'sent']);
  expect(new Set(statuses.map((status) => status.id))).toEqual(new Set([id]));
});

test('a status update names both ids of a customer who has told them, until they are another’s', async () => {
  const { url, values } = await receiver();
  const whatsapp = await start({ webhookUrl: url });
  const told = async () => {
    await whatsapp.report({ id: 'wamid.1', to: customer, callbackData: null }, 'read');
    const { statuses, contacts } = values().at(-1) as never as { statuses: object[]; contacts?: object[] };
    return { status: statuses[0], contacts };
  };
  const alone = await told();
  expect(alone).toMatchObject({ status: { recipient_id: customer }, contacts: undefined });
  expect(alone.status).not.toHaveProperty('recipient_user_id');
  const content = { type: 'text', text: { body: 'Oi' } };
  await whatsapp.customerDoes({ phone: customer, userId: 'BR.1', name: 'Ana', username: 'ana.l' }, { content });
  expect(await told()).toMatchObject({
    status: { recipient_id: customer, recipient_user_id: 'BR.1' },
    contacts: [{ wa_id: customer, user_id: 'BR.1', profile: { name: 'Ana', username: 'ana.l' } }],
  });
  await whatsapp.customerMoves({ phone: customer, userId: 'BR.1' }, { userId: 'BR.2' });
  const after = await told();
  expect(after.contacts).toBeUndefined();
  expect(after.status).not.toHaveProperty('recipient_user_id');
});

test('another process can set its behaviour and read the accepted messages', async () => {
  const whatsapp = await start();
  const control = async (path: string, body?: unknown) => {
    const url = new URL(`/control/${path}`, whatsapp.apiUrl);
    const method = body === undefined ? 'GET' : 'POST';
    return await (await fetch(url, { method, ...(body !== undefined && { body: JSON.stringify(body) }) })).json();
  };
  await control('customer', [{ from: customer, text: 'Hi' }]);
  await control('next', [{ refuse: { code: 131016 } }, { cut: true }, { answer: 'reset' }]);
  expect(await send(whatsapp)).toMatchObject({ status: 503, code: 131016 });
  await expect(send(whatsapp)).rejects.toThrow();
  expect(await control('log')).toEqual([]);
  await expect(send(whatsapp)).rejects.toThrow();
  expect(await control('log')).toMatchObject([{ to: customer, text: 'Hello' }]);
  await control('settings', { accessToken: 'renewed' });
  expect(await send(whatsapp)).toMatchObject({ status: 200 });
  expect(await control('refusals')).toMatchObject([{ code: 131016, to: customer }]);
});

test('the templates of the account come in pages, by a cursor', async () => {
  const templates = ['a', 'b', 'c'].map((name) => ({ name, language: 'en', status: 'APPROVED', components: [] }));
  const { apiUrl, settings, templateRequests } = await start({ templates });
  const get = async (query: string, account = settings.businessAccountId, token = settings.accessToken) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await (await fetch(`${apiUrl}/${account}/message_templates?${query}`, { headers })).json()) as {
      data?: { name: string }[];
      paging?: { cursors: { after: string }; next?: string };
      error?: { code: number };
    };
  };
  const first = await get('limit=2&fields=name');
  expect(first).toMatchObject({
    data: [{ name: 'a', id: expect.any(String) }, { name: 'b' }],
    paging: { next: expect.any(String) },
  });
  const last = await get(`limit=2&fields=name,status&after=${first.paging?.cursors.after}`);
  expect(last.data).toEqual([{ name: 'c', status: 'APPROVED', id: expect.any(String) }]);
  expect(last.paging?.next).toBeUndefined();
  expect(await get('fields=colour')).toMatchObject({ error: { code: 100 } });
  expect(await get('fields=name', '1')).toMatchObject({ error: { code: 100 } });
  expect(await get('fields=name', undefined, 'another')).toMatchObject({ error: { code: 190 } });
  expect(templateRequests()).toBe(5);
});

test('an account with templates sends only those that it approved, with as many values as they have', async () => {
  const body = { type: 'BODY', text: 'Hi {{1}}' };
  const whatsapp = await start({
    templates: [
      { name: 'ready', language: 'en', status: 'APPROVED', components: [body] },
      { name: 'paused', language: 'en', status: 'PAUSED', components: [body] },
    ],
  });
  const sent = (name: string, code: string, parameters: object[] = []) =>
    send(whatsapp, {
      type: 'template',
      template: { name, language: { code }, components: [{ type: 'body', parameters }] },
    });
  expect(await sent('ready', 'en', [{ type: 'text', text: 'Ana' }])).toMatchObject({ status: 200 });
  expect(await sent('ready', 'en')).toMatchObject({ code: 132000 });
  expect(await sent('ready', 'pt_BR')).toMatchObject({ code: 132001 });
  expect(await sent('paused', 'en')).toMatchObject({ code: 132015 });
});
