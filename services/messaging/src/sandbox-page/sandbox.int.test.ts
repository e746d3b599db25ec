import { randomUUID } from 'node:crypto';
import {
  changeSandboxMessage,
  connectChannel,
  deliverMessages,
  describeSandbox,
  getConversation,
  getMessage,
  handOverSandbox,
  readSandboxConversation,
  receiveSandboxMessage,
  reportSandboxReceipts,
  showChannel,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
  messaging.inbound.start();
});
afterAll(() => messaging?.stop());

const customerPhone = '5511988887777';

async function connect(storeId: string, options: { rotate?: true; reply_window_minutes?: number } = {}) {
  const body = { provider: 'sandbox' as const, phone: '5511400000001', ...options };
  const { sandbox_url } = await messaging.rpc.call(connectChannel, { body }, testContext({ storeId }));
  return (sandbox_url as string).split('/').at(-1) as string;
}
const write = (token: string, text: string, phone = customerPhone) =>
  messaging.rpc.call(
    receiveSandboxMessage,
    { body: { token, customer_phone: phone, name: 'Ana', text } },
    testContext(),
  );
const read = (token: string, phone = customerPhone) =>
  messaging.rpc.call(readSandboxConversation, { body: { token, customer_phone: phone } }, testContext());

const report = (token: string, status: 'delivered' | 'read', phone = customerPhone) =>
  messaging.rpc.call(reportSandboxReceipts, { body: { token, customer_phone: phone, status } }, testContext());
const describeSandboxOf = (token: string) => messaging.rpc.call(describeSandbox, { body: { token } }, testContext());

test('a message from the telephone becomes a received message of a lead', async () => {
  const storeId = randomUUID();
  const token = await connect(storeId);
  await write(token, 'Olá! 👋');
  const [row] = await messaging.adminSql`
    select lead_id, status, source, body from messages where store_id = ${storeId}`;
  expect(row).toMatchObject({ status: 'received', source: 'lead', body: 'Olá! 👋' });
  await waitFor(() => messaging.crm.interactionCounts.get(row?.lead_id) === 1, { description: 'crm has the count' });
});

test('a customer who hides the number writes, reads and reacts under a username', async () => {
  const storeId = randomUUID();
  const token = await connect(storeId);
  const hidden = '@ana.lima';
  await write(token, 'Olá', hidden);
  await write(token, 'de novo', hidden);
  const [row] = await messaging.adminSql`select lead_id from conversations where store_id = ${storeId}`;
  const lead_id: string = row?.lead_id;
  expect(messaging.crm.leadOf(storeId, lead_id)).toMatchObject({ customer_phone: null, username: 'ana.lima' });
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0)`;
  const { id } = await messaging.send(storeId, lead_id, 'Hi');
  await messaging.rpc.call(deliverMessages, { body: { lead_id } }, testContext({ storeId }));
  const change = { token, customer_phone: hidden, message_id: id, reaction: '🎉' };
  await messaging.rpc.call(changeSandboxMessage, { body: change }, testContext());
  const { messages } = await read(token, hidden);
  expect(messages.map(({ text }) => text)).toEqual(['Olá', 'de novo', 'Hi']);
  expect(messages[2]).toMatchObject({ status: 'sent', reactions: [{ emoji: '🎉' }] });
  expect((await read(token, '@ana')).messages).toEqual([]);
  expect((await describeSandboxOf(token)).customers).toMatchObject([{ customer_phone: hidden }]);
  await expect(read(token, '@Ana Lima')).rejects.toMatchObject({ code: 'validation_failed' });
});

test('the telephone sends what is more than text, quotes, reacts, edits and deletes', async () => {
  const storeId = randomUUID();
  const token = await connect(storeId);
  const about = { token, customer_phone: customerPhone };
  const send = (body: object) =>
    messaging.rpc.call(receiveSandboxMessage, { body: { ...about, name: 'Ana', ...body } }, testContext());
  const change = (message_id: string, body: object) =>
    messaging.rpc.call(changeSandboxMessage, { body: { ...about, message_id, ...body } }, testContext());
  await write(token, 'Olá');
  const [first] = (await read(token)).messages;
  const id = first?.id as string;
  const content = { latitude: -23.5, longitude: -46.6, name: 'Praça' };
  await send({ type: 'location', content, reply_to_id: id });
  await send({ type: 'document', text: 'Receita', media: { mime_type: 'application/pdf', filename: 'a.pdf' } });
  await change(id, { reaction: '👍' });
  await change(id, { text: 'Olá!' });
  const [text, place, file] = (await read(token)).messages;
  expect(text).toMatchObject({ text: 'Olá!', reactions: [{ emoji: '👍' }], edited_at: expect.any(String) });
  expect(place).toMatchObject({ type: 'location', content, reply_to_id: id });
  expect(file).toMatchObject({ type: 'document', text: 'Receita', media: { filename: 'a.pdf', state: 'not_fetched' } });
  await change(place?.id as string, { deleted: true });
  expect((await read(token)).messages[1]).toMatchObject({ content: null, revoked_at: expect.any(String) });

  const invalid = { code: 'validation_failed' };
  for (const body of [{}, { type: 'location', content: { latitude: 1 } }, { type: 'template', text: 'x' }]) {
    await expect(send(body), JSON.stringify(body)).rejects.toMatchObject(invalid);
  }
  for (const body of [{}, { reaction: '👍', deleted: true }])
    await expect(change(id, body)).rejects.toMatchObject(invalid);
  const notFound = { code: 'message_not_found' };
  await expect(change(randomUUID(), { deleted: true })).rejects.toMatchObject(notFound);
  const other = { token, customer_phone: '5511988887778', message_id: id, deleted: true as const };
  await expect(messaging.rpc.call(changeSandboxMessage, { body: other }, testContext())).rejects.toMatchObject(
    notFound,
  );
  const foreign = { ...other, ...about, token: await connect(randomUUID()) };
  await expect(messaging.rpc.call(changeSandboxMessage, { body: foreign }, testContext())).rejects.toMatchObject(
    notFound,
  );
});

test('a customer reacts to what the store wrote, and neither edits nor deletes it', async () => {
  const storeId = randomUUID();
  const token = await connect(storeId);
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0)`;
  const lead_id = messaging.crm.addLead(storeId, customerPhone);
  const { id } = await messaging.send(storeId, lead_id, 'Hi');
  await messaging.rpc.call(deliverMessages, { body: { lead_id } }, testContext({ storeId }));
  const change = (body: object) =>
    messaging.rpc.call(
      changeSandboxMessage,
      { body: { token, customer_phone: customerPhone, message_id: id, ...body } },
      testContext(),
    );
  await change({ reaction: '🎉' });
  expect((await read(token)).messages).toMatchObject([{ text: 'Hi', reactions: [{ emoji: '🎉', from: 'lead' }] }]);
  await change({ reaction: null });
  expect((await read(token)).messages).toMatchObject([{ reactions: [] }]);
  for (const body of [{ text: 'x' }, { deleted: true }]) {
    await expect(change(body)).rejects.toMatchObject({ code: 'message_not_found' });
  }
});

test('another agent takes the conversation, answers and passes it to the store: our AI is silent, and a person is asked', async () => {
  const storeId = randomUUID();
  const token = await connect(storeId);
  const says = (text: string, more: object = {}) =>
    messaging.rpc.call(
      receiveSandboxMessage,
      { body: { token, customer_phone: customerPhone, name: 'Ana', text, ...more } },
      testContext(),
    );
  const handOver = (owner: 'store' | 'other') =>
    messaging.rpc.call(handOverSandbox, { body: { token, customer_phone: customerPhone, owner } }, testContext());
  const state = async () => {
    const [row] = await messaging.adminSql`
      select ai_paused_by ->> 'kind' as by, ai_paused_until > now() + interval '23 hours' as paused, is_unanswered
      from conversations where store_id = ${storeId}`;
    return row;
  };
  await says('Oi');
  expect(await state()).toEqual({ by: null, paused: null, is_unanswered: true });
  await handOver('other');
  await messaging.adminSql`update conversations set ai_paused_until = null where store_id = ${storeId}`;
  // What the customer writes is on standby, and pauses the AI, too.
  await says('Vocês abrem hoje?');
  expect(await state()).toEqual({ by: 'agent', paused: true, is_unanswered: true });
  await says('Até as 19h', { from_agent: true });
  expect(await state()).toMatchObject({ is_unanswered: false });
  await handOver('store');
  expect(await state()).toEqual({ by: 'agent', paused: true, is_unanswered: true });
  const rows = await messaging.adminSql`
    select source, author from messages where store_id = ${storeId} order by number`;
  expect(rows.at(-1)).toEqual({ source: 'ai', author: { kind: 'agent', id: null, name: null } });
  const { messages } = await read(token);
  expect(messages.map(({ direction, text }) => [direction, text])).toEqual([
    ['inbound', 'Oi'],
    ['inbound', 'Vocês abrem hoje?'],
    ['outbound', 'Até as 19h'],
  ]);
  const types = (await messaging.feed(storeId)).map(({ type }) => type);
  expect(types).toContain('conversation.handed_over');
  await expect(says('Both', { from_agent: true, from_store: true })).rejects.toMatchObject({
    code: 'validation_failed',
  });
});

test('the telephone shows its own conversation in order, and no other conversation', async () => {
  const storeId = randomUUID();
  const token = await connect(storeId);
  expect(await read(token)).toEqual({ store_phone: '5511400000001', messages: [] });
  await write(token, 'first');
  await messaging.adminSql`
    insert into sandbox_deliveries (store_id, id, channel_id, customer_phone, body)
    select store_id, ${randomUUID()}, id, ${customerPhone}, 'answer' from channels where store_id = ${storeId}`;
  await write(token, 'second');
  await write(token, 'of another', '5511988887778');
  const { messages } = await read(token);
  expect(messages.map(({ direction, text }) => [direction, text])).toEqual([
    ['inbound', 'first'],
    ['outbound', 'answer'],
    ['inbound', 'second'],
  ]);
  expect((await read(await connect(randomUUID()))).messages).toEqual([]);
});

test('the telephone shows what a lead gets whose phone is written without the ninth digit', async () => {
  const storeId = randomUUID();
  const token = await connect(storeId);
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0)`;
  const leadId = messaging.crm.addLead(storeId, '551188887777');
  await messaging.send(storeId, leadId);
  await messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, testContext({ storeId }));
  for (const phone of ['5511988887777', '551188887777']) expect((await read(token, phone)).messages).toHaveLength(1);
  await report(token, 'read', '5511988887777');
  await waitFor(async () => (await read(token)).messages[0]?.status === 'read', { description: 'it is read' });
});

test('a replaced or unknown address is rejected', async () => {
  const storeId = randomUUID();
  const old = await connect(storeId);
  const token = await connect(storeId, { rotate: true });
  await expect(write(old, 'x')).rejects.toMatchObject({ code: 'sandbox_not_found' });
  await expect(read(old)).rejects.toMatchObject({ code: 'sandbox_not_found' });
  await expect(read('x'.repeat(43))).rejects.toMatchObject({ code: 'sandbox_not_found' });
  await expect(report(old, 'read')).rejects.toMatchObject({ code: 'sandbox_not_found' });
  await expect(describeSandboxOf(old)).rejects.toMatchObject({ code: 'sandbox_not_found' });
  await write(token, 'x');
});

test('a message is sent until the telephone reports it, which may say delivered and then read', async () => {
  const storeId = randomUUID();
  const token = await connect(storeId);
  const context = () => testContext({ storeId });
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0)`;
  const leadId = messaging.crm.addLead(storeId, customerPhone);
  const { id } = await messaging.send(storeId, leadId, 'Hi');
  await messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, context());
  const shown = async () => (await read(token)).messages.map(({ status }) => status);
  expect(await shown()).toEqual(['sent']);
  for (const status of ['delivered', 'read'] as const) {
    await report(token, status);
    await waitFor(async () => (await shown())[0] === status, { description: status });
  }
  const stored = () => messaging.adminSql`select id from inbound_payloads where store_id = ${storeId}`;
  expect(await stored()).toHaveLength(2);
  for (const status of ['delivered', 'read'] as const) await report(token, status);
  expect(await stored()).toHaveLength(2);
  const message = await messaging.rpc.call(getMessage, { params: { leadId, messageId: id } }, context());
  expect(message).toMatchObject({ status: 'read', delivered_at: expect.any(String), read_at: expect.any(String) });
});

test('a report changes nothing of another number, of another store, or of a magic number', async () => {
  const [storeId, otherId] = [randomUUID(), randomUUID()];
  const [token, other] = [await connect(storeId), await connect(otherId)];
  const magic = '12015550102';
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0)`;
  const leads = [messaging.crm.addLead(storeId, customerPhone), messaging.crm.addLead(storeId, magic)];
  for (const lead_id of leads) {
    await messaging.send(storeId, lead_id, 'Hi');
    await messaging.rpc.call(deliverMessages, { body: { lead_id } }, testContext({ storeId }));
  }
  await report(token, 'read', '5511988887778');
  await report(other, 'read');
  await report(token, 'read', magic);
  const stored = await messaging.adminSql`
    select id from inbound_payloads where store_id = any(${[storeId, otherId]}::uuid[])`;
  expect(stored).toEqual([]);
});

test('the sandbox names its store and those who wrote on it, the latest first, and no other lead', async () => {
  const storeId = randomUUID();
  const token = await connect(storeId);
  messaging.crm.addLead(storeId, '5511911112222');
  expect(await describeSandboxOf(token)).toEqual({ store_id: storeId, customers: [] });
  await write(token, 'first');
  await write(token, 'second', '5511988887778');
  expect(await describeSandboxOf(token)).toEqual({
    store_id: storeId,
    customers: [
      { name: 'Ana', customer_phone: '5511988887778' },
      { name: 'Ana', customer_phone: customerPhone },
    ],
  });
  await messaging.crm.stop();
  const { customers } = await describeSandboxOf(token);
  expect(customers.map(({ name }) => name)).toEqual(['5511988887778', customerPhone]);
  await messaging.crm.start();
});

test('a sandbox with a reply window accepts free text only within it, and tells the telephone until when', async () => {
  const storeId = randomUUID();
  const token = await connect(storeId, { reply_window_minutes: 30 });
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0)`;
  const leadId = messaging.crm.addLead(storeId, customerPhone);
  const conversation = () => messaging.rpc.call(getConversation, { params: { leadId } }, testContext({ storeId }));
  const refused = () =>
    expect(messaging.send(storeId, leadId)).rejects.toMatchObject({ code: 'messaging_window_closed' });
  await refused();
  expect(await read(token)).toMatchObject({ window_expires_at: null });
  await write(token, 'Hello?');
  const { window_expires_at } = await read(token);
  const minutes = (Date.parse(String(window_expires_at)) - Date.now()) / 60_000;
  expect(minutes).toBeGreaterThan(29);
  expect(minutes).toBeLessThanOrEqual(30);
  expect(await conversation()).toMatchObject({ window_expires_at, window_open: true });
  await messaging.send(storeId, leadId);
  await messaging.adminSql`
    update conversations set last_inbound_at = now() - interval '31 minutes' where lead_id = ${leadId}`;
  await refused();
  const context = testContext({ storeId });
  const step = messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, context);
  expect(await step).toMatchObject({ done: true });
  const [failed] = await messaging.adminSql`
    select status, error_code from messages where store_id = ${storeId} and direction = 'outbound'`;
  expect(failed).toEqual({ status: 'failed', error_code: 'messaging_window_closed' });
  await connect(storeId);
  await messaging.send(storeId, leadId);
  expect(await read(token)).not.toHaveProperty('window_expires_at');
});

describe('the telephone of a platform with real customers', () => {
  /** What the operator set. */
  const telephone = () => messaging.dependencies.telephone;
  const requestsOf = (token: string) => [
    () => write(token, 'Hi'),
    () => read(token),
    () => report(token, 'read'),
    () => describeSandboxOf(token),
  ];
  afterEach(() => Object.assign(telephone(), { writesAs: 'any', days: 30 }));

  test('is off, and shows neither an address nor a conversation, unless the operator allows it', async () => {
    const storeId = randomUUID();
    const token = await connect(storeId);
    Object.assign(telephone(), { writesAs: 'off' });
    for (const tried of requestsOf(token)) {
      await expect(tried()).rejects.toMatchObject({
        code: 'sandbox_not_found',
        detail: expect.stringContaining('SANDBOX_TELEPHONE'),
      });
    }
    const body = { provider: 'sandbox' as const, phone: '5511400000001' };
    const context = () => testContext({ storeId });
    expect((await messaging.rpc.call(connectChannel, { body }, context())).sandbox_url).toBeNull();
    expect((await messaging.rpc.call(showChannel, {}, context())).sandbox_url).toBeNull();
    Object.assign(telephone(), { writesAs: 'own' });
    await write(token, 'Hi');
  });

  test('writes as the customers whose lead it created, in any form of their number, and as no other lead', async () => {
    const storeId = randomUUID();
    const token = await connect(storeId);
    const leadId = messaging.crm.addLead(storeId, '5511988884444');
    Object.assign(telephone(), { writesAs: 'own' });
    await write(token, 'first');
    await write(token, 'again');
    await write(token, 'without the ninth digit', '551188887777');
    for (const phone of ['5511988884444', '551188884444']) {
      await expect(write(token, 'I am a real customer', phone)).rejects.toMatchObject({ code: 'sandbox_phone_taken' });
    }
    // A message of the store over the sandbox does not make the lead its own.
    await messaging.send(storeId, leadId);
    await expect(write(token, 'x', '5511988884444')).rejects.toMatchObject({ code: 'sandbox_phone_taken' });
    // Another store's sandbox created a lead with this number there.
    await write(await connect(randomUUID()), 'x', '5511988884444');
    await expect(write(token, 'x', '5511988884444')).rejects.toMatchObject({ code: 'sandbox_phone_taken' });
    const rows = await messaging.adminSql`
      select 1 from messages where store_id = ${storeId} and direction = 'inbound'`;
    expect(rows).toHaveLength(3);
  });

  test('has an address that expires, until the sandbox is connected again', async () => {
    const storeId = randomUUID();
    const token = await connect(storeId);
    await messaging.adminSql`
      update channels set connected_at = connected_at - interval '29 days' where store_id = ${storeId}`;
    await write(token, 'Hi');
    await messaging.adminSql`
      update channels set connected_at = connected_at - interval '2 days' where store_id = ${storeId}`;
    for (const tried of requestsOf(token)) {
      await expect(tried()).rejects.toMatchObject({
        code: 'sandbox_not_found',
        detail: expect.stringContaining('has expired'),
      });
    }
    expect(await connect(storeId)).toBe(token);
    await write(token, 'Hi');
  });
});
