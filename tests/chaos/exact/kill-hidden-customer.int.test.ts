import { randomUUID } from 'node:crypto';
import { contents } from '@mostrador/testing/providers/whatsapp/entries';
import type { Hold } from '@mostrador/testing/proxy/tcp-proxy';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SendingStage, startSendingStage, untilAccepted } from './sending.ts';

// messaging is killed at each step of a customer whom WhatsApp names without a number: at the first message, when the
// number becomes known, and when the id changes.

let stage: SendingStage;
let phones = 5511986000000;
beforeAll(async () => {
  stage = await startSendingStage({ processes: ['gateway', 'crm', 'messaging', 'scheduling', 'workflows'] });
});
afterAll(() => stage?.stop());

const newPhone = () => String(++phones);
const newUserId = () => `BR.${randomUUID().replaceAll('-', '')}`;
const newWamid = () => `wamid.${randomUUID()}`;
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

type Row = { readonly id: string; readonly customer_phone: string | null; readonly channel_user_id: string };
const leadsOf = async (...userIds: string[]): Promise<Row[]> =>
  await stage.database.adminSql<Row[]>`
    select id, customer_phone, channel_user_id from crm.leads where channel_user_id = any(${userIds})`;
const inboundOf = async (leadId: string): Promise<string[]> => {
  const rows = await stage.database.adminSql<{ body: string }[]>`
    select body from messages where lead_id = ${leadId} and direction = 'inbound' order by number`;
  return rows.map(({ body }) => body);
};
const isProcessed = async () =>
  (await stage.database.adminSql`select from inbound_payloads where processed_at is null`).length === 0;
const processed = () => waitFor(isProcessed, { description: 'every webhook is processed' });

async function killAt(held: Hold): Promise<void> {
  await held.reached;
  await stage.kill('messaging');
  held.drop();
  // The lease lasts 30 s. Here it ends at once.
  await stage.database.adminSql`update inbound_payloads set next_attempt_at = now() where processed_at is null`;
  await stage.start('messaging');
  await processed();
}

/** Sends a text to the lead, and returns where WhatsApp accepted it. */
async function sendTo(leadId: string): Promise<string[]> {
  const sending = stage.newSending({ id: leadId, phone: '' });
  await untilAccepted(sending);
  const accepted = () => stage.whatsapp.log.filter(({ text }) => text === sending.text).map(({ to }) => to);
  await waitFor(() => accepted().length > 0, { description: 'WhatsApp has the message' });
  return accepted();
}

async function hiddenLead(userId: string): Promise<string> {
  await stage.whatsapp.customerDoes({ userId }, { content: contents.text('Hello'), at: ago(100) });
  await processed();
  const [lead] = await leadsOf(userId);
  return lead?.id as string;
}

const first: Record<string, (userId: string, wamid: string) => Hold> = {
  'before crm has the lead': (userId) => stage.proxies.nats.holdRequest(userId),
  'after crm has made the lead, unheard': (userId) => stage.proxies.nats.holdAnswer(userId),
  'before the message is stored': (_, wamid) => stage.proxies.database.holdRequest('commit', wamid),
  'after the message is stored': (_, wamid) => stage.proxies.database.holdAnswer('commit', wamid),
};

test.each(Object.keys(first))('the first message: %s', async (point) => {
  const [userId, id] = [newUserId(), newWamid()];
  const held = (first[point] as (typeof first)[string])(userId, id);
  await stage.whatsapp.customerDoes({ userId }, { content: contents.text('Hello'), id });
  await killAt(held);
  const leads = await leadsOf(userId);
  expect(leads).toMatchObject([{ customer_phone: null, channel_user_id: userId }]);
  const [lead] = leads as [Row];
  expect(await inboundOf(lead.id)).toEqual(['Hello']);
  expect(await sendTo(lead.id)).toEqual([userId]);
});

const moves: Record<string, (eventId: string, told: string) => Hold> = {
  'before the change is stored': (eventId) => stage.proxies.database.holdRequest('commit', eventId),
  'after the change is stored': (eventId) => stage.proxies.database.holdAnswer('commit', eventId),
  'before crm is asked': (_, told) => stage.proxies.nats.holdRequest(told),
  'after crm has moved the lead, unheard': (_, told) => stage.proxies.nats.holdAnswer(told),
  // A parameter comes after its length.
  'before the last step is stored': (eventId) => stage.proxies.database.holdRequest(eventId, '\x05moved'),
};

test.each(Object.keys(moves))('the number becomes known, and is another lead’s: %s', async (point) => {
  const [userId, phone] = [newUserId(), newPhone()];
  const leadId = await hiddenLead(userId);
  await stage.whatsapp.customerDoes({ phone }, { content: contents.text('by phone'), at: ago(50) });
  await processed();
  const held = (moves[point] as (typeof moves)[string])(`${userId} ${phone}`, phone);
  await stage.whatsapp.customerDoes({ userId, phone }, { content: contents.text('both'), at: ago(10) });
  await killAt(held);
  expect(await leadsOf(userId)).toEqual([{ id: leadId, customer_phone: phone, channel_user_id: userId }]);
  const byPhone = await stage.database.adminSql`select id from crm.leads where customer_phone = ${phone}`;
  expect(byPhone).toEqual([{ id: leadId }]);
  expect(await inboundOf(leadId)).toEqual(['Hello', 'by phone', 'both']);
  expect(await sendTo(leadId)).toEqual([phone]);
});

test.each(Object.keys(moves))('another id: %s', async (point) => {
  const [before, after, eventId] = [newUserId(), newUserId(), newWamid()];
  const leadId = await hiddenLead(before);
  const held = (moves[point] as (typeof moves)[string])(eventId, after);
  await stage.whatsapp.customerMoves({ userId: before }, { userId: after }, { id: eventId, at: ago(50) });
  await killAt(held);
  expect(await leadsOf(before, after)).toEqual([{ id: leadId, customer_phone: null, channel_user_id: after }]);
  await stage.whatsapp.customerDoes({ userId: after }, { content: contents.text('again') });
  await processed();
  expect(await inboundOf(leadId)).toEqual(['Hello', 'again']);
  expect(await sendTo(leadId)).toEqual([after]);
  // It would be refused, and show here.
  expect([...stage.whatsapp.log, ...stage.whatsapp.refusals].map(({ to }) => to)).not.toContain(before);
});
