import { startWhatsappServer, type WhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admin, eventually, type Json, newStore, request } from './platform.ts';
import { expectProblem } from './problem.ts';

const secrets = { access_token: 'EAAtoken', app_secret: 'app-secret', verify_token: 'verify-token' };
let whatsapp: WhatsappServer;
let store: Awaited<ReturnType<typeof newStore>>;
let webhookUrl: string;

beforeAll(async () => {
  whatsapp = await startWhatsappServer();
  store = await newStore();
  const { phoneNumberId, phone } = whatsapp.settings;
  const connected = await admin(
    [
      ...['channel', 'connect', '--store', store.id, '--provider', 'whatsapp_cloud', '--phone', phone],
      ...['--phone-number-id', phoneNumberId, '--api-url', whatsapp.apiUrl, '--secrets-stdin'],
    ],
    JSON.stringify(secrets),
  );
  webhookUrl = connected.webhook_url;
  whatsapp.settings.webhookUrl = webhookUrl;
});
afterAll(() => whatsapp?.close());

let phones = 5511980000000;
const newPhone = () => String(++phones);
const get = async (path: string): Promise<Json> => (await request('GET', path, { key: store.key })).body;
const create = (customer_phone: string) =>
  request('POST', '/leads', { key: store.key, body: { name: 'Ana', customer_phone } });
const send = (leadId: string, message: string, headers: Record<string, string> = {}) =>
  request('POST', `/leads/${leadId}/messages`, { key: store.key, body: { message }, headers });
/** The lead's messages, oldest first. */
const messagesOf = async (leadId: string): Promise<Json[]> =>
  (await get(`/leads/${leadId}/messages?limit=200`)).data.toReversed();
const taken = (to: string) => whatsapp.log.filter((message) => message.to === to);

async function write(from: string, ...texts: string[]): Promise<void> {
  expect(await whatsapp.customerWrites(...texts.map((text) => ({ from, text })))).toBe(200);
}

/** Creates a lead and waits for its first message to be processed. */
async function newLead(): Promise<{ id: string; phone: string }> {
  const phone = newPhone();
  const { id } = (await create(phone)).body;
  await write(phone, 'Hello');
  await eventually(
    () => messagesOf(id),
    ({ length }) => length === 1,
  );
  return { id, phone };
}

/** Waits until earlier webhooks are processed: messaging finishes one batch before it claims the next. */
async function settled(): Promise<void> {
  await newLead();
  await newLead();
}

/** The lead that an inbound message created. */
async function leadOf(phone: string): Promise<Json> {
  await settled();
  const { data } = await get(`/leads?customer_phone=${phone}`);
  expect(data).toHaveLength(1);
  return data[0];
}

test('a signed webhook creates a lead with a session, and the reply is sent once and ends as read', async () => {
  const phone = newPhone();
  await write(phone, 'Olá! 👋');
  const lead = await leadOf(phone);
  expect(lead).toMatchObject({ name: 'Maria', status: 'pending' });
  expect(await get(`/leads/${lead.id}/sessions`)).toMatchObject([{ status: 'active', ended_at: null }]);

  const sent = await send(lead.id, 'How can we help?');
  expect([sent.status, sent.body]).toMatchObject([200, { sent: true, error: null }]);
  const answer = await eventually(
    () => get(`/leads/${lead.id}/messages/${sent.body.id}`),
    ({ status }) => status === 'read',
  );
  expect(answer).toMatchObject({ direction: 'outbound', source: 'api', error: null });
  expect(taken(phone)).toMatchObject([{ callbackData: sent.body.id }]);
  await eventually(
    () => get(`/leads/${lead.id}`),
    ({ interaction_count }) => interaction_count === 2,
  );
});

test('a lead with a national phone and a customer who writes without the ninth digit are one lead with one conversation', async () => {
  const written = '(31) 97777-6666';
  expectProblem(await create('(031) 97777-6666'), 'validation_failed');
  await admin(['store', 'update', '--store', store.id, '--country', 'BR']);
  await eventually(
    () => get('/store'),
    ({ country }) => country === 'BR',
  );
  const lead = await eventually(
    () => create('(031) 97777-6666'),
    ({ status }) => status === 201,
  );
  expect(lead.body).toMatchObject({ customer_phone: '5531977776666' });
  await write('553177776666', 'Oi');
  expect(await leadOf('553177776666')).toMatchObject({ id: lead.body.id, customer_phone: '5531977776666' });
  expectProblem(await create(written), 'lead_exists');
  expect((await send(lead.body.id, 'Tudo bem?')).body).toMatchObject({ sent: true });
  expect(taken('553177776666')).toHaveLength(1);
  expect((await messagesOf(lead.body.id)).map(({ body }) => body)).toEqual(['Oi', 'Tudo bem?']);
});

test('messages follow the changed phone of a lead, and the earlier phone is another customer', async () => {
  const { id, phone } = await newLead();
  expect((await send(id, 'to the earlier phone')).body).toMatchObject({ sent: true });
  const next = newPhone();
  const changed = await request('PATCH', `/leads/${id}`, { key: store.key, body: { customer_phone: next } });
  expect([changed.status, changed.body.customer_phone]).toEqual([200, next]);
  // The customer has not written from the new phone.
  expectProblem(await send(id, 'too early'), 'messaging_window_closed');
  await write(next, 'Hello again');
  await eventually(
    () => messagesOf(id),
    ({ length }) => length === 3,
  );
  expect((await send(id, 'to the new phone')).body).toMatchObject({ sent: true });
  expect([taken(phone).length, taken(next).length]).toEqual([1, 1]);
  await write(phone, 'Who is this?');
  expect((await leadOf(phone)).id).not.toBe(id);
  expectProblem(await create(next), 'lead_exists');
});

test('a webhook with a wrong signature or verify token gets 403', async () => {
  const refused = await fetch(webhookUrl, {
    method: 'POST',
    body: '{}',
    headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
  });
  expect(refused.status).toBe(403);
  const subscribe = (token: string) =>
    fetch(`${webhookUrl}?hub.mode=subscribe&hub.challenge=42&hub.verify_token=${token}`);
  expect(await (await subscribe(secrets.verify_token)).text()).toBe('42');
  expect((await subscribe('another')).status).toBe(403);
});

test('ten sends with one idempotency key send one message', async () => {
  const { id, phone } = await newLead();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => send(id, 'Once', { 'idempotency-key': `key-${phone}` })),
  );
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect(taken(phone)).toHaveLength(1);
});

test('a repeated webhook stores its message once, and equal texts with different ids are all stored', async () => {
  const { id, phone } = await newLead();
  const message = { from: phone, text: 'ok', id: `wamid.${phone}` };
  for (let time = 0; time < 3; time += 1) expect(await whatsapp.customerWrites(message)).toBe(200);
  await write(phone, 'ok', 'ok');
  await settled();
  expect((await messagesOf(id)).map(({ body }) => body)).toEqual(['Hello', 'ok', 'ok', 'ok']);
});

test('a hundred concurrent messages of a new customer create one lead with one session', async () => {
  const phone = newPhone();
  const texts = Array.from({ length: 100 }, (_, index) => `message ${index}`);
  await Promise.all(texts.map((text) => write(phone, text)));
  const lead = await leadOf(phone);
  expect(await get(`/leads/${lead.id}/sessions`)).toHaveLength(1);
  expect((await messagesOf(lead.id)).map(({ body }) => body).toSorted()).toEqual(texts.toSorted());
});

test('a message status never moves back when status updates arrive out of order', async () => {
  const { id, phone } = await newLead();
  whatsapp.next({ statuses: ['read', 'delivered', 'sent'], repeat: 2, statusesFirst: true });
  const { body } = await send(id, 'Reordered');
  await whatsapp.reported();
  await settled();
  expect(await get(`/leads/${id}/messages/${body.id}`)).toMatchObject({ status: 'read' });
  expect(taken(phone)).toHaveLength(1);
});

test('a message outside the reply window is rejected and not stored', async () => {
  const { body: lead } = await create(newPhone());
  expectProblem(await send(lead.id, 'Good morning'), 'messaging_window_closed');
  expect((await get(`/leads/${lead.id}/messages`)).total).toBe(0);
});

test('a call of a lead who has never written opens the reply window for free text', async () => {
  const { body: lead } = await create(newPhone());
  expectProblem(await send(lead.id, 'Good morning'), 'messaging_window_closed');
  expect(await whatsapp.customerCalls({ phone: lead.customer_phone })).toBe(200);
  const conversation = await eventually(
    () => get(`/leads/${lead.id}/conversation`),
    ({ window_open }) => window_open,
  );
  expect(conversation).toMatchObject({ window_opened_by: 'call' });
  expect((await send(lead.id, 'You called?')).body).toMatchObject({ sent: true });
  expect(taken(lead.customer_phone)).toHaveLength(1);
});

test("a message that the channel rejects is answered with sent false and the channel's reason", async () => {
  const { id } = await newLead();
  whatsapp.next({ refuse: { code: 131026 } });
  const { status, body } = await send(id, 'Refused');
  expect([status, body]).toMatchObject([200, { sent: false, status: 'failed', error: { code: 'whatsapp_131026' } }]);
});

test('messages of both directions are listed in the order of acceptance', async () => {
  const { id, phone } = await newLead();
  await send(id, 'first answer');
  await write(phone, 'second question');
  await settled();
  await send(id, 'second answer');
  const bodies = (await messagesOf(id)).map(({ body }) => body);
  expect(bodies).toEqual(['Hello', 'first answer', 'second question', 'second answer']);
});

test('in a new store a customer who has opted out gets no messages of the API, unless the operator changes it', async () => {
  const { id, phone } = await newLead();
  await write(phone, 'STOP');
  await settled();
  const allow = (stops: 'on' | 'off') => admin(['store', 'update', '--store', store.id, '--opt-out-stops-api', stops]);
  expect(await get('/store')).toMatchObject({ opt_out_stops_api: true });
  expectProblem(await send(id, 'You will hear no more from us.'), 'lead_opted_out');
  await allow('off');
  expect(await get('/store')).toMatchObject({ opt_out_stops_api: false });
  expect((await send(id, 'You will hear no more from our assistant.')).body.sent).toBe(true);
  await allow('on');
});

test('a template is sent outside of the reply window, and its message is shown with its metadata', async () => {
  const { body: lead } = await create(newPhone());
  const body = {
    template: { name: 'order_ready', language: 'pt_BR' },
    metadata: { order: '1042' },
  };
  const { body: sent } = await request('POST', `/leads/${lead.id}/messages`, { key: store.key, body });
  expect(sent).toMatchObject({ sent: true, error: null });
  expect(taken(lead.customer_phone)).toMatchObject([{ type: 'template', template: 'order_ready' }]);
  expect(await messagesOf(lead.id)).toMatchObject([
    { id: sent.id, type: 'template', template: body.template, metadata: { order: '1042' } },
  ]);
});

test('a walk over all messages finds each status change after the last one that was read', async () => {
  const { id: leadId } = await newLead();
  const first = (await send(leadId, 'first')).body.id;
  const read = ({ data }: Json) => data.find(({ id }: Json) => id === first)?.status === 'read';
  const all = await eventually(() => get(`/messages?lead_id=${leadId}&limit=200`), read);
  const since = all.data.at(-1).updated_at;
  expect((await get(`/messages?since=${since}&lead_id=${leadId}`)).data).toEqual([]);
  const second = (await send(leadId, 'second')).body.id;
  const news = await eventually(
    () => get(`/messages?since=${since}&lead_id=${leadId}&direction=outbound&status=read,delivered`),
    ({ data }) => data[0]?.status === 'read',
  );
  expect(news.data.map(({ id }: Json) => id)).toEqual([second]);
});

test('a message that the provider cannot take now is cancelled for good', async () => {
  const other = await newStore();
  const connecting = ['channel', 'connect', '--store', other.id, '--provider', 'whatsapp_cloud'];
  const nobody = [
    '--phone',
    '5511900000000',
    '--phone-number-id',
    '106540352242922',
    '--api-url',
    'http://127.0.0.1:9',
  ];
  await admin([...connecting, ...nobody, '--secrets-stdin'], JSON.stringify(secrets));
  await admin(['store', 'update', '--store', other.id, '--message-wait', '0']);
  const call = (method: string, path: string, options: object = {}) =>
    request(method, path, { key: other.key, ...options });
  const { body: lead } = await call('POST', '/leads', { body: { name: 'Ana', customer_phone: newPhone() } });
  const body = { template: { name: 'order_ready', language: 'pt_BR' } };
  const { body: queued } = await call('POST', `/leads/${lead.id}/messages`, { body });
  const path = `/leads/${lead.id}/messages/${queued.id}`;
  // Each attempt fails at once; while it runs, the answer is 409.
  const headers = { 'Idempotency-Key': 'cancel' };
  const { body: cancelled } = await eventually(
    () => call('DELETE', path, { headers }),
    ({ status }) => status === 200,
  );
  expect(cancelled).toEqual({ cancelled: true, id: queued.id });
  expect(await call('DELETE', path, { headers })).toMatchObject({ status: 200, body: cancelled });
  const again = expectProblem(await call('DELETE', path), 'message_not_queued');
  expect(again.current_status).toBe('cancelled');
  expect((await call('GET', path)).body).toMatchObject({ status: 'cancelled', sent_at: null, error: null });
  const { data } = await eventually(
    () => call('GET', '/messages?status=cancelled').then((answer) => answer.body),
    ({ total }) => total === 1,
  );
  expect(data).toMatchObject([{ id: queued.id, lead_id: lead.id }]);
});
