import { contents } from '@mostrador/testing/providers/whatsapp/entries';
import { startWhatsappServer, type WhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addresses, admin, eventually, type Json, newStore, request } from './platform.ts';

let whatsapp: WhatsappServer;
let store: Awaited<ReturnType<typeof newStore>>;

beforeAll(async () => {
  whatsapp = await startWhatsappServer();
  store = await newStore();
  const { phoneNumberId, phone } = whatsapp.settings;
  const connected = await admin(
    [
      ...['channel', 'connect', '--store', store.id, '--provider', 'whatsapp_cloud', '--phone', phone],
      ...['--phone-number-id', phoneNumberId, '--api-url', whatsapp.apiUrl, '--secrets-stdin'],
    ],
    JSON.stringify({ access_token: 'EAAtoken', app_secret: 'app-secret', verify_token: 'verify-token' }),
  );
  whatsapp.settings.webhookUrl = connected.webhook_url;
});
afterAll(() => whatsapp?.close());

let phones = 5511981000000;
const newPhone = () => String(++phones);
const get = async (path: string): Promise<Json> => (await request('GET', path, { key: store.key })).body;
const post = (path: string, body: object) => request('POST', path, { key: store.key, body });
const messagesOf = async (leadId: string): Promise<Json[]> =>
  (await get(`/leads/${leadId}/messages?limit=200`)).data.toReversed();
/** The events of this type about the entity, in order. */
const eventsOf = async (type: string, id: string): Promise<Json[]> => {
  const { data } = await get(`/events?types=${type}&limit=200`);
  return data.filter(({ entity }: Json) => entity.id === id);
};
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

/** A lead who wrote one message, and whose follow-up waits for silence. */
async function leadWithFollowup() {
  const phone = newPhone();
  const id = `wamid.${phone}`;
  await whatsapp.customerDoes({ phone }, { content: contents.text('Olá'), id, at: ago(100) });
  const leads = await eventually(
    () => get(`/leads?customer_phone=${phone}`),
    ({ data }) => data[0]?.interaction_count === 1,
  );
  const leadId: string = leads.data[0].id;
  const { body: followup } = await post('/followups/scheduled', {
    lead_id: leadId,
    message: 'Still there?',
    delay_minutes: 60,
  });
  return { phone, id, leadId, followup: () => get(`/followups/scheduled/${followup.id}`) };
}

test('a reaction and an edit change their message, and leave follow-ups, counts and the reply window alone', async () => {
  const { phone, id, leadId, followup } = await leadWithFollowup();
  const conversation = await get(`/leads/${leadId}/conversation`);
  await whatsapp.customerDoes({ phone }, { content: contents.reaction(id, '👍'), at: ago(50) });
  await whatsapp.customerDoes({ phone }, { content: contents.edit(id, 'Olá!'), at: ago(40) });
  const [message] = await eventually(
    () => messagesOf(leadId),
    ([first]) => first?.body === 'Olá!' && first.reactions.length === 1,
  );
  expect(message).toMatchObject({ reactions: [{ emoji: '👍', from: 'lead' }], edited_at: expect.any(String) });
  const updates = await eventually(
    () => eventsOf('message.updated', message?.id),
    ({ length }) => length === 2,
  );
  expect(updates[1]?.data.object).toEqual(message);
  expect(await messagesOf(leadId)).toHaveLength(1);
  expect(await get(`/leads/${leadId}/conversation`)).toEqual(conversation);
  expect(await followup()).toMatchObject({ status: 'pending' });
  expect(await get(`/leads/${leadId}`)).toMatchObject({ interaction_count: 1 });
});

test('a changed number moves the lead, with its event; messages go to the new number, and the old one is another lead', async () => {
  const { phone, leadId, followup } = await leadWithFollowup();
  const after = newPhone();
  await whatsapp.customerMoves({ phone }, { phone: after }, { at: ago(50) });
  await eventually(
    () => get(`/leads/${leadId}`),
    ({ customer_phone }) => customer_phone === after,
  );
  await eventually(
    () => eventsOf('lead.updated', leadId),
    (events) => events.some(({ data: { object } }) => object.customer_phone === after),
  );
  expect(await followup()).toMatchObject({ status: 'pending' });
  await whatsapp.customerDoes({ phone: after }, { content: contents.text('my new number') });
  await eventually(
    () => messagesOf(leadId),
    ({ length }) => length === 2,
  );
  expect((await post(`/leads/${leadId}/messages`, { message: 'Hi' })).body).toMatchObject({ sent: true });
  expect(whatsapp.log.map(({ to }) => to)).toContain(after);
  await whatsapp.customerDoes({ phone }, { content: contents.text('I got this number') });
  const other = await eventually(
    () => get(`/leads?customer_phone=${phone}`),
    ({ data }) => data.length === 1,
  );
  expect(other.data[0].id).not.toBe(leadId);
  expect([...whatsapp.log, ...whatsapp.refusals].map(({ to }) => to)).not.toContain(phone);
});

test('a customer who writes from the new number before WhatsApp reports it is one lead in the end, with the data of both', async () => {
  const { phone, leadId } = await leadWithFollowup();
  const after = newPhone();
  await whatsapp.customerDoes({ phone: after }, { content: contents.text('my new number'), at: ago(40) });
  const early = await eventually(
    () => get(`/leads?customer_phone=${after}`),
    ({ data }) => data.length === 1,
  );
  const { body: appointment } = await post('/appointments', {
    title: 'Exam',
    scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    lead_id: early.data[0].id,
  });
  await whatsapp.customerMoves({ phone }, { phone: after }, { at: ago(50) });
  await eventually(
    () => get(`/appointments/${appointment.id}`),
    ({ lead_id }) => lead_id === leadId,
  );
  expect((await get(`/leads?customer_phone=${after}`)).data).toMatchObject([{ id: leadId }]);
  expect((await messagesOf(leadId)).map(({ body }) => body)).toEqual(['Olá', 'my new number']);
  expect(await get(`/leads/${early.data[0].id}`)).toMatchObject({ code: 'lead_not_found', merged_into: leadId });
});

test('what a customer stops in WhatsApp cancels follow-ups and stops the API, until the customer resumes it', async () => {
  const { phone, leadId, followup } = await leadWithFollowup();
  await whatsapp.customerPrefers({ phone }, 'stop', ago(50));
  await eventually(followup, ({ status }) => status === 'cancelled');
  expect(await followup()).toMatchObject({ cancel_reason: 'opted_out' });
  const { opt_out, window_open } = await get(`/leads/${leadId}/conversation`);
  expect([opt_out, window_open]).toMatchObject([{ scope: 'marketing', source: 'channel_preference' }, true]);
  expect((await post(`/leads/${leadId}/messages`, { message: 'Promo' })).body).toMatchObject({
    code: 'lead_opted_out',
  });
  await whatsapp.customerPrefers({ phone }, 'resume', ago(40));
  await eventually(
    () => get(`/leads/${leadId}/conversation`),
    ({ opt_out }) => opt_out === null,
  );
  expect((await post(`/leads/${leadId}/messages`, { message: 'Hi' })).body).toMatchObject({ sent: true });
});

test('a customer without a number is a lead like the others: found, listed, exported, answered, and later known by phone', async () => {
  const userId = `BR.${Date.now()}`;
  const customer = { userId, name: 'Sheena Nelson', username: 'sheena.n' };
  await whatsapp.customerDoes(customer, { content: contents.text('Oi'), at: ago(100) });
  const found = await eventually(
    () => get(`/leads?channel_user_id=${userId}`),
    ({ data }) => data[0]?.interaction_count === 1,
  );
  const leadId: string = found.data[0].id;
  expect(found.data).toMatchObject([
    { customer_phone: null, channel_user_id: userId, username: 'sheena.n', name: 'Sheena Nelson' },
  ]);
  expect((await get('/leads?q=sheena.n')).data).toMatchObject([{ id: leadId }]);
  const exported = await fetch(`${addresses.base_url}/leads?channel_user_id=${userId}`, {
    headers: { 'x-api-key': store.key, accept: 'text/csv' },
  });
  const [header = '', row = ''] = (await exported.text()).split('\r\n');
  const cells = new Map(header.split(',').map((name, index) => [name, row.split(',')[index]]));
  expect([cells.get('customer_phone'), cells.get('channel_user_id'), cells.get('username')]).toEqual([
    ...['', userId, 'sheena.n'],
  ]);
  expect((await post(`/leads/${leadId}/messages`, { message: 'Olá' })).body).toMatchObject({ sent: true });
  expect(whatsapp.log.map(({ to }) => to)).toContain(userId);
  const merging = await post('/leads', { name: 'Sheena', customer_phone: newPhone(), external_id: `ERP-${userId}` });
  const phone: string = merging.body.customer_phone;
  await whatsapp.customerDoes({ ...customer, phone }, { content: contents.text('My number') });
  const merged = await eventually(
    () => get(`/leads/${leadId}`),
    ({ customer_phone }) => customer_phone === phone,
  );
  expect(merged).toMatchObject({ channel_user_id: userId, external_id: `ERP-${userId}` });
  await eventually(
    () => eventsOf('lead.merged', merging.body.id),
    ([event]) => event?.data.merged_into === leadId,
  );
  await eventually(
    async () => (await messagesOf(leadId)).map(({ body }) => body),
    (bodies) => bodies.join() === 'Oi,Olá,My number',
  );
  expect((await post(`/leads/${leadId}/messages`, { message: 'Now by phone' })).body).toMatchObject({ sent: true });
  expect(whatsapp.log.at(-1)?.to).toBe(phone);
});
