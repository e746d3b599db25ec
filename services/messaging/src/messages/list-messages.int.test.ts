import { randomUUID } from 'node:crypto';
import { getMessage, listMessages, type Message, maxMessageMetadataBytes } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { ensureConversation } from '../conversations/conversation.repository.ts';
import { touchSession } from '../sessions/session.repository.ts';
import { insertMessage, takeNumber } from './message.repository.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());

/** Inserts a message in either direction. Nothing is sent. */
const add = (storeId: string, leadId: string, body: string, direction: Message['direction'] = 'outbound') =>
  messaging.database.write(testContext({ storeId }), async (sql) => {
    await ensureConversation(sql, storeId, leadId);
    const { number, at } = await takeNumber(sql, storeId, leadId, 'api');
    const { sessionId } = await touchSession(sql, storeId, leadId, { at, direction });
    const source = direction === 'inbound' ? 'lead' : 'api';
    const content = { lead_id: leadId, session_id: sessionId, number, created_at: at, direction, body } as const;
    return await insertMessage(sql, storeId, { ...content, source });
  });
const conversation = async (count: number) => {
  const [storeId, leadId] = [randomUUID(), randomUUID()];
  for (let index = 1; index <= count; index += 1) await add(storeId, leadId, `Message ${index}`);
  return { storeId, leadId };
};
const list = async (storeId: string, leadId: string, query: Parameters<typeof messaging.rpc.call>[1] = {}) => {
  const request = { params: { leadId }, query } as never;
  const { body, headers } = await messaging.rpc.forward(listMessages, request, testContext({ storeId }));
  return { ...JSON.parse(Buffer.from(body).toString()), cursor: headers.nextCursor };
};
const texts = ({ data }: { data: Message[] }) => data.map(({ body }) => Number(body.split(' ')[1]));

test('the list has both directions in the order of acceptance, newest first', async () => {
  const [storeId, leadId] = [randomUUID(), randomUUID()];
  await add(storeId, leadId, 'Is it open?', 'inbound');
  await add(storeId, leadId, 'Yes');
  // The number decides, not the clock.
  await messaging.adminSql`update messages set created_at = now() + interval '1 hour' where body = 'Is it open?'`;
  expect(await list(storeId, leadId)).toMatchObject({
    data: [
      { body: 'Yes', direction: 'outbound', source: 'api', status: 'queued', lead_id: leadId, error: null },
      { body: 'Is it open?', direction: 'inbound', source: 'lead', status: 'received' },
    ],
    total: 2,
    page: 1,
    limit: 50,
    cursor: undefined,
  });
});

test('pages and cursors return every message once, and the total is exact', async () => {
  const { storeId, leadId } = await conversation(7);
  expect(texts(await list(storeId, leadId, { limit: 3 } as never))).toEqual([7, 6, 5]);
  const third = await list(storeId, leadId, { limit: 3, page: 3 } as never);
  expect([texts(third), third.total, third.page, third.cursor]).toEqual([[1], 7, 3, undefined]);

  const met: number[] = [];
  let page = await list(storeId, leadId, { limit: 2 } as never);
  for (;;) {
    met.push(...texts(page));
    // A message that arrives during the walk is newer than all that are still to come.
    await add(storeId, leadId, 'Message 99');
    if (!page.cursor) break;
    page = await list(storeId, leadId, { limit: 2, cursor: page.cursor } as never);
    expect(page.total).toBe(7);
  }
  expect(met).toEqual([7, 6, 5, 4, 3, 2, 1]);
  expect(page.page).toBe(4);
});

test('a cursor works only for its lead and without a page number', async () => {
  const { storeId, leadId } = await conversation(3);
  const other = randomUUID();
  await add(storeId, other, 'Message 1');
  const { cursor } = await list(storeId, leadId, { limit: 1 } as never);
  const refused = (query: object, lead = leadId) =>
    expect(list(storeId, lead, query as never)).rejects.toMatchObject({ code: 'validation_failed' });
  await refused({ cursor }, other);
  await refused({ cursor, page: 2 });
  await refused({ cursor: 'nonsense' });
  expect(texts(await list(storeId, leadId.toUpperCase(), { cursor } as never))).toEqual([2, 1]);
});

test('a lead without messages has an empty list, and an unknown or another store’s lead is not found', async () => {
  const storeId = randomUUID();
  const leadId = messaging.crm.addLead(storeId);
  expect(await list(storeId, leadId)).toMatchObject({ data: [], total: 0, page: 1 });
  await expect(list(storeId, randomUUID())).rejects.toMatchObject({ code: 'lead_not_found' });
  const theirs = await conversation(1);
  await expect(list(storeId, theirs.leadId)).rejects.toMatchObject({ code: 'lead_not_found' });
});

test('a message is found only under its own lead and store', async () => {
  const { storeId, leadId } = await conversation(1);
  const [message] = (await list(storeId, leadId)).data;
  const read = (store: string, lead: string, messageId: string = message.id) =>
    messaging.rpc.call(getMessage, { params: { leadId: lead, messageId } }, testContext({ storeId: store }));
  expect(await read(storeId, leadId)).toEqual(message);
  expect(await read(storeId, leadId.toUpperCase(), message.id.toUpperCase())).toEqual(message);
  const other = randomUUID();
  await add(storeId, other, 'Message 1');
  for (const [code, store, lead, id] of [
    ['message_not_found', storeId, other],
    ['message_not_found', storeId, leadId, randomUUID()],
    ['message_not_found', storeId, messaging.crm.addLead(storeId)],
    ['lead_not_found', randomUUID(), leadId],
    ['lead_not_found', storeId, randomUUID()],
    ['lead_not_found', storeId, randomUUID(), randomUUID()],
  ] as const) {
    await expect(read(store, lead, id)).rejects.toMatchObject({ code });
  }
});

test('a message shows its times, or why it failed', async () => {
  const { storeId, leadId } = await conversation(2);
  const at = '2026-11-21T12:00:00.500Z';
  await messaging.adminSql`
    update messages set status = 'read', provider_message_id = 'wamid.1', sent_at = ${at}, delivered_at = ${at},
      read_at = ${at} where store_id = ${storeId} and number = 1`;
  await messaging.adminSql`
    update messages set status = 'failed', error_code = '131047', error_detail = 'Re-engagement message'
    where store_id = ${storeId} and number = 2`;
  const [failed, read] = (await list(storeId, leadId)).data;
  expect(read).toMatchObject({
    status: 'read',
    error: null,
    provider_message_id: 'wamid.1',
    sent_at: at,
    delivered_at: at,
    read_at: at,
  });
  expect(failed).toMatchObject({ status: 'failed', error: { code: '131047', detail: 'Re-engagement message' } });
});

test('a page of the 200 largest messages fits into one answer', async () => {
  const { storeId, leadId } = await conversation(200);
  // Each takes six bytes as JSON.
  const metadata = { x: '\u0001'.repeat(2000), y: '' };
  metadata.y = 'y'.repeat(maxMessageMetadataBytes - JSON.stringify(metadata).length);
  await messaging.adminSql`
    update messages set body = repeat(chr(1), 4096), metadata = ${JSON.stringify(metadata)}::text::jsonb
    where store_id = ${storeId}`;
  const page = await list(storeId, leadId, { limit: 200 } as never);
  expect(page.data).toHaveLength(200);
  expect(page.data[0].metadata).toEqual(metadata);
  expect(JSON.stringify(page).length).toBeGreaterThan(7_300_000);
});
