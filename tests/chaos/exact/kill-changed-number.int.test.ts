import type { Hold } from '@mostrador/testing/proxy/tcp-proxy';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Lead, type Sending, type SendingStage, startSendingStage, untilAccepted } from './sending.ts';

// messaging is killed at each step of a changed number. The next process takes the stored webhook again after its lease.

let stage: SendingStage;
let leads: Lead[];
/** The leads whose number has changed, with what was accepted while it changed, or was about to be sent. */
const moved: { readonly before: string; readonly lead: Lead; readonly during: Sending[] }[] = [];
let phones = 5511985000000;
beforeAll(async () => {
  stage = await startSendingStage({ processes: ['gateway', 'crm', 'messaging', 'scheduling', 'workflows'] });
  leads = await stage.newLeads(5);
});
afterAll(() => stage?.stop());

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
const phoneOf = async ({ id }: Lead): Promise<string | undefined> => {
  const [row] = await stage.database.adminSql`select customer_phone from crm.leads where id = ${id}`;
  return row?.customer_phone;
};
const bodiesOf = async ({ id }: Lead): Promise<string[]> => {
  const rows = await stage.database.adminSql<{ body: string }[]>`
    select body from messages where lead_id = ${id} and direction = 'inbound' order by number`;
  return rows.map(({ body }) => body);
};

const points: Record<string, (eventId: string, after: string) => Hold> = {
  'before the change is stored': (eventId) => stage.proxies.database.holdRequest('commit', eventId),
  'after the change is stored': (eventId) => stage.proxies.database.holdAnswer('commit', eventId),
  'before crm is asked': (_, after) => stage.proxies.nats.holdRequest(after),
  'after crm has moved the lead, unheard': (_, after) => stage.proxies.nats.holdAnswer(after),
  // A parameter comes after its length.
  'before the last step is stored': (eventId) => stage.proxies.database.holdRequest(eventId, '\x05moved'),
};

test.each(Object.keys(points))('%s', async (point) => {
  const lead = leads.pop() as Lead;
  const after = String(++phones);
  const eventId = `wamid.move-${after}`;
  const held = (points[point] as (typeof points)[string])(eventId, after);
  await stage.whatsapp.customerMoves({ phone: lead.phone }, { phone: after }, { id: eventId, at: ago(50) });
  await held.reached;
  // It waits until the lead is known. WhatsApp accepts free text to the number from now on.
  await stage.whatsapp.customerWrites({ from: after, text: 'my new number' });
  // From the notice on, a message goes to the new number. Before it, the earlier one is still the customer's.
  const during = point === 'before the change is stored' ? [] : [stage.newSending({ id: lead.id, phone: after })];
  await Promise.all(during.map(untilAccepted));
  await stage.kill('messaging');
  held.drop();
  // The lease lasts 30 s. Here it ends at once.
  await stage.database.adminSql`update inbound_payloads set next_attempt_at = now() where processed_at is null`;
  await stage.start('messaging');

  await waitFor(async () => (await phoneOf(lead)) === after, {
    description: 'crm has moved it',
  });
  const isProcessed = async () =>
    (await stage.database.adminSql`select from inbound_payloads where processed_at is null`).length === 0;
  await waitFor(isProcessed, { description: 'the notice is processed' });
  await waitFor(async () => (await bodiesOf(lead)).length === 2, { description: 'the message is the lead’s' });
  expect(await bodiesOf(lead)).toEqual(['Hello', 'my new number']);
  moved.push({ before: lead.phone, lead: { id: lead.id, phone: after }, during });
});

// At the end, because after a kill the next message that is sent waits for some seconds.
test('after all these kills each lead gets what is sent to it once, at its new number alone, and nothing is lost', async () => {
  expect(moved).toHaveLength(Object.keys(points).length);
  const sendings = moved.map(({ lead, during }) => ({ lead, all: [...during, stage.newSending(lead)] }));
  await Promise.all(sendings.map(({ all }) => untilAccepted(all.at(-1) as Sending)));
  const rows = () => Promise.all(sendings.flatMap(({ all }) => all).map(stage.rowOf));
  const isOver = (row: Awaited<ReturnType<typeof stage.rowOf>>) => row && !['queued', 'sending'].includes(row.status);
  await waitFor(async () => (await rows()).every(isOver), { description: 'each message has its outcome' });
  for (const { lead, all } of sendings) {
    const statuses = (await Promise.all(all.map(stage.rowOf))).map((row) => row?.status);
    // Killed while it was being sent: it may have been sent, so it is never sent again.
    const certain = all.filter((_, index) => statuses[index] !== 'unknown').map(({ text }) => text);
    expect(statuses.filter((status) => status !== 'unknown')).toEqual(certain.map(() => 'sent'));
    expect(stage.sentTo(lead)).toEqual(all.map(({ text }) => text).filter((text) => stage.sentTo(lead).includes(text)));
    expect(stage.sentTo(lead)).toEqual(expect.arrayContaining(certain));
  }
  const tried = [...stage.whatsapp.log, ...stage.whatsapp.refusals].map(({ to }) => to);
  for (const { before } of moved) expect(tried).not.toContain(before);
});
