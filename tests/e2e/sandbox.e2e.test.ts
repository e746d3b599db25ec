import { beforeAll, expect, test } from 'vitest';
import { admin, eventually, type Json, newStore, request } from './platform.ts';
import { expectProblem } from './problem.ts';

let store: Awaited<ReturnType<typeof newStore>>;

beforeAll(async () => {
  store = await newStore();
});

const connect = async (...options: string[]): Promise<string> =>
  (await admin(['channel', 'connect', '--store', store.id, '--provider', 'sandbox', ...options])).sandbox_url;

async function newLead(phone: string): Promise<string> {
  const made = await request('POST', '/leads', { key: store.key, body: { name: 'Ana', customer_phone: phone } });
  expect(made.status, made.text).toBe(201);
  return made.body.id;
}
const send = (leadId: string, message: string) =>
  request('POST', `/leads/${leadId}/messages`, { key: store.key, body: { message } });
const becomes = (leadId: string, id: string, status: string): Promise<Json> =>
  eventually(
    async () => (await request('GET', `/leads/${leadId}/messages/${id}`, { key: store.key })).body,
    (message: Json) => message.status === status,
  );
async function post(url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(answer.status, await answer.text()).toBe(200);
}

test('a magic number provokes its outcome, which the API shows like that of any channel', async () => {
  await connect();
  const [read, failed, unknown] = [
    await newLead('+1 (201) 555-0100'),
    await newLead('12015550121'),
    await newLead('12015550105'),
  ];
  const first = await send(read, 'Hello');
  expect(first.body).toMatchObject({ sent: true });
  expect((await send(failed, 'Hello')).body).toMatchObject({
    sent: false,
    status: 'failed',
    error: { code: 'whatsapp_131026' },
  });
  const lost = await send(unknown, 'Hello');
  await becomes(unknown, lost.body.id, 'unknown');
  await becomes(read, first.body.id, 'read');
});

test('an open telephone makes a message read, and a reply window is held when the store asks for one', async () => {
  const url = await connect('--reply-window', '60');
  const phone = '5511960000001';
  const leadId = await newLead(phone);
  expectProblem(await send(leadId, 'Hello'), 'messaging_window_closed');
  await post(`${url}/messages`, { customer_phone: phone, name: 'Ana', text: 'Are you open?' });
  const { body } = await send(leadId, 'Yes');
  expect(body).toMatchObject({ sent: true, status: 'sent' });
  await post(`${url}/receipts`, { customer_phone: phone, status: 'read' });
  await becomes(leadId, body.id, 'read');
  const conversation: Json = await (await fetch(`${url}/messages?customer_phone=${phone}`)).json();
  expect(conversation.messages.map(({ status }: Json) => status)).toEqual(['received', 'read']);
  expect(Date.parse(conversation.window_expires_at)).toBeGreaterThan(Date.now());
});

test('the shop answers on its own phone: its people see it, it pauses the AI, and it is not sent again', async () => {
  const url = await connect();
  const phone = '5511960000002';
  await post(`${url}/messages`, { customer_phone: phone, name: 'Ana', text: 'Are you open?' });
  const leadId = (await request('GET', `/leads?customer_phone=${phone}`, { key: store.key })).body.data[0].id;
  await post(`${url}/messages`, { customer_phone: phone, name: 'Ana', text: 'Until 7 pm', from_store: true });
  const { body } = await request('GET', `/leads/${leadId}/messages`, { key: store.key });
  expect(body.data).toMatchObject([
    { source: 'seller', author: { kind: 'phone', id: null, name: null }, body: 'Until 7 pm', status: 'sent' },
    { source: 'lead', author: null },
  ]);
  await eventually(
    async () => (await request('GET', `/leads/${leadId}`, { key: store.key })).body,
    (lead: Json) => Date.parse(lead.ai_paused_until) > Date.now(),
  );
  // The customer has it once, and the phone reports it as read.
  await post(`${url}/receipts`, { customer_phone: phone, status: 'read' });
  await becomes(leadId, body.data[0].id, 'read');
  const conversation: Json = await (await fetch(`${url}/messages?customer_phone=${phone}`)).json();
  expect(conversation.messages.map(({ text }: Json) => text)).toEqual(['Are you open?', 'Until 7 pm']);
});
