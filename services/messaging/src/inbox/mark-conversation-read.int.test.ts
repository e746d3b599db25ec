import { randomUUID } from 'node:crypto';
import { mergeConversations } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newInbox, type TestInbox } from '../../test/inbox.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';

let messaging: TestMessaging;
let inbox: TestInbox;
let leadId: string;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());
beforeEach(async () => {
  inbox = await newInbox(messaging);
  leadId = messaging.crm.addLead(inbox.storeId);
});

const unread = async () => (await inbox.list()).data.map(({ unread_count }) => unread_count);
const events = async () =>
  (await messaging.feed(inbox.storeId)).filter(({ type }) => type === 'conversation.read').map(({ data }) => data);
const idOf = async (number: number) => (await inbox.messageIds(leadId))[number - 1] as string;
const hear = async (times: number) => {
  for (let n = 0; n < times; n++) await inbox.hear(leadId);
};

test('the messages up to the given one are read, and only a change is an event', async () => {
  await hear(3);
  expect(await unread()).toEqual([3]);
  expect(await inbox.read(leadId, await idOf(2))).toBe(1);
  expect(await unread()).toEqual([1]);
  expect(await events()).toEqual([{ lead_id: leadId }]);
  expect(await inbox.read(leadId, await idOf(2))).toBe(1);
  // Never back.
  expect(await inbox.read(leadId, await idOf(1))).toBe(1);
  expect(await events()).toHaveLength(1);
  expect(await inbox.read(leadId.toUpperCase(), await idOf(3))).toBe(0);
  expect(await events()).toHaveLength(2);
});

test('reading a message of the store alone reads nothing new, and is no event', async () => {
  const id = await inbox.say(leadId);
  expect(await inbox.read(leadId, id)).toBe(0);
  expect(await events()).toEqual([]);
});

test('two people who read at once leave what the later message leaves, and a message after it is unread', async () => {
  await hear(4);
  const ids = await inbox.messageIds(leadId);
  await Promise.all(ids.slice(0, 3).map((id) => inbox.read(leadId, id)));
  expect(await unread()).toEqual([1]);
  await hear(1);
  expect(await unread()).toEqual([2]);
});

test('a message of a seller reads all before it, and a message of no person does not', async () => {
  await hear(2);
  for (const source of ['ai', 'api', 'followup'] as const) await inbox.say(leadId, source);
  expect(await unread()).toEqual([2]);
  expect(await events()).toEqual([]);
  await inbox.say(leadId, 'seller');
  expect(await unread()).toEqual([0]);
  expect(await events()).toEqual([{ lead_id: leadId }]);
  await inbox.say(leadId, 'seller');
  expect(await events()).toHaveLength(1);
  expect(await inbox.read(leadId, await idOf(1))).toBe(0);
});

test('what one of two merged leads had unread stays unread, and a merge reads nothing', async () => {
  const other = messaging.crm.addLead(inbox.storeId);
  await hear(1);
  await inbox.hear(other);
  await inbox.read(other, (await inbox.messageIds(other))[0] as string);
  messaging.crm.merge(inbox.storeId, other, leadId);
  const body = { lead_id: other, merged_into: leadId };
  await messaging.rpc.call(mergeConversations, { body }, testContext({ storeId: inbox.storeId }));
  // The message of the other lead came after the unread one.
  expect(await unread()).toEqual([2]);
  const { data } = await inbox.list();
  expect(data[0]).toMatchObject({ unanswered: true, lead: { id: leadId } });
  expect(await inbox.read(leadId, await idOf(2))).toBe(0);
});

test('a seller reads the conversations of their own leads and of those without a seller alone', async () => {
  const [ana, bia] = [randomUUID(), randomUUID()];
  const as = (sellerId: string) => ({ userId: randomUUID(), role: 'seller' as const, sellerId });
  messaging.crm.change(inbox.storeId, leadId, { seller_id: ana });
  await hear(1);
  const id = await idOf(1);
  await expect(inbox.read(leadId, id, as(bia))).rejects.toMatchObject({ code: 'lead_not_found' });
  expect(await unread()).toEqual([1]);
  expect(await inbox.read(leadId, id, as(ana))).toBe(0);
  leadId = messaging.crm.addLead(inbox.storeId);
  await hear(1);
  expect(await inbox.read(leadId, await idOf(1), as(bia))).toBe(0);
});

test('a lead, a message or a store that does not fit is not found', async () => {
  await hear(1);
  const id = await idOf(1);
  const other = messaging.crm.addLead(inbox.storeId);
  await expect(inbox.read(randomUUID(), id)).rejects.toMatchObject({ code: 'lead_not_found' });
  await expect(inbox.read(other, id)).rejects.toMatchObject({ code: 'message_not_found' });
  await expect(inbox.read(leadId, randomUUID())).rejects.toMatchObject({ code: 'message_not_found' });
  await inbox.hear(other);
  await expect(inbox.read(other, id)).rejects.toMatchObject({ code: 'message_not_found' });
  const foreign = await newInbox(messaging);
  await expect(foreign.read(leadId, id)).rejects.toMatchObject({ code: 'lead_not_found' });
  expect(await unread()).toEqual([1, 1]);
});

test.each<[string, string, unknown]>([
  ['a message id that is none', '', 'x'],
  ['a lead id that is none', 'x', randomUUID()],
])('%s is refused', async (_, lead, message) => {
  await expect(inbox.read(lead || leadId, message as string)).rejects.toMatchObject({ code: 'validation_failed' });
});
