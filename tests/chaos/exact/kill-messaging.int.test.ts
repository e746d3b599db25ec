import { settleMessage } from '@mostrador/contracts';
import type { Hold } from '@mostrador/testing/proxy/tcp-proxy';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, areInTime, sendTo } from './creation.ts';
import { type Lead, type Sending, type SendingStage, startSendingStage, untilAccepted } from './sending.ts';

// messaging is killed at nine points of a send, with one message at each. Most points share one kill, because the lease
// of an unrecorded attempt takes 15 s. The leads suffice for three tries of that kill.

type Point = 'begun' | 'uncommitted' | 'committed' | 'asked' | 'taken' | 'accepted' | 'untold' | 'told' | 'unanswered';

let stage: SendingStage;
let leads: Lead[];
const points = {} as Record<Point, { sending: Sending; behind: Sending; first: Promise<Answer>; held: Hold }>;
const inPoints = (...names: Point[]) => names.map((name) => points[name]);

/** Sends to a new lead and waits until the conversation is held at the point. */
async function standAt(point: Point, holdOf: (sending: Sending) => Hold): Promise<Hold> {
  const lead = leads.pop() as Lead;
  const [sending, behind] = [stage.newSending(lead), stage.newSending(lead)];
  const held = holdOf(sending);
  const { answer } = await sendTo([held], sending);
  points[point] = { sending, behind, first: answer, held };
  return held;
}

/** Sends until messaging is about to answer that a message is sent. A busy machine may answer that it waits, so it goes on. */
async function standBeforeAnswer(): Promise<void> {
  for (;;) {
    const lead = leads.pop() as Lead;
    const [sending, behind] = [stage.newSending(lead), stage.newSending(lead)];
    const held = stage.proxies.nats.holdRequest('"sent":true');
    const first = sending.send();
    points.unanswered = { sending, behind, first, held };
    if (await Promise.race([held.reached.then(() => true), first.then(() => false)])) return;
    held.release();
  }
}

/** Kills messaging and drops the held bytes. */
async function killAt(...names: Point[]): Promise<void> {
  await stage.kill('messaging');
  for (const { held } of inPoints(...names)) held.drop();
}

/** What the signal to the workflow of the store's shard contains. */
const wakeUp = 'delivery:shard-';

const statusOf = async (sending: Sending) => (await stage.rowOf(sending))?.status;
const stateOf = async (point: Point) => {
  const { sending } = points[point];
  return [await statusOf(sending), stage.sentTo(sending.lead).length];
};
const takenOf = (point: Point) => {
  const taken = stage.whatsapp.log.find(({ text }) => text === points[point].sending.text);
  if (!taken) throw new Error(`${point}: WhatsApp has not accepted the message`);
  return taken;
};
const untilNothingIsSent = () =>
  waitFor(
    async () =>
      (await stage.database.adminSql`select from messages where status in ('queued', 'sending')`).length === 0,
    { description: 'no message waits or is being sent' },
  );
const untilStatus = (point: Point, status: string) =>
  waitFor(async () => (await statusOf(points[point].sending)) === status, {
    description: `${point} is ${status}`,
  });

beforeAll(async () => {
  stage = await startSendingStage({
    processes: ['gateway', 'crm', 'messaging', 'workflows'],
  });
  leads = await stage.newLeads(25);
  const { database, provider, temporal } = stage.proxies;
  // Only a message whose shard rests wakes it. These holds are of the whole connection, so each has a kill of its own.
  await stage.untilShardRests();
  await standAt('untold', () => temporal.holdRequest(wakeUp));
  await killAt('untold');
  expect(await stateOf('untold')).toEqual(['queued', 0]);
  await stage.start('messaging');
  await untilStatus('untold', 'sent');
  await stage.untilShardRests();
  await standAt('told', () => temporal.holdAnswer(wakeUp));
  await untilStatus('told', 'sent');
  await killAt('told');
  await stage.start('messaging');
  await standAt('uncommitted', ({ text }) => database.holdRequest('commit', text));
  await standAt('committed', ({ text }) => database.holdAnswer('commit', text));
  // The pump finds it without a notice. A kill while it is being sent would leave its outcome unknown.
  await untilStatus('committed', 'sent');
  for (;;) {
    const calls = [await standAt('asked', ({ text }) => provider.holdRequest(text))];
    // This must be the next that WhatsApp accepts, because each id has the prefix.
    await standAt('accepted', () => database.holdRequest('wamid.'));
    calls.push(await standAt('taken', ({ text }) => provider.holdAnswer(text)));
    // This must be the last point, because PostgreSQL ends a transaction that locks a channel after 2 s. Only a set has the
    // lead in an array.
    await standAt('begun', ({ lead }) => database.holdRequest('commit', `{"${lead.id}"`));
    await killAt('begun', 'uncommitted', 'committed', 'asked', 'taken', 'accepted');
    if (areInTime(calls)) return;
    // A slow machine begins again with other leads, when it has sent what the kill left.
    await stage.start('messaging');
    await untilNothingIsSent();
  }
});
afterAll(() => stage?.stop());

test('before the kill each send is at its point', async () => {
  expect(await stateOf('begun')).toEqual(['queued', 0]);
  expect(await stateOf('uncommitted')).toEqual([undefined, 0]);
  expect(await stateOf('committed')).toEqual(['sent', 1]);
  expect(await stateOf('asked')).toEqual(['sending', 0]);
  expect(await stateOf('taken')).toEqual(['sending', 1]);
  expect(await stateOf('accepted')).toEqual(['sending', 1]);
  await stage.start('messaging');
});

test('a retry with the same key gets the accepted message, and a next message is queued behind it', async () => {
  const names = ['begun', 'uncommitted', 'committed', 'asked', 'taken', 'accepted', 'untold', 'told'] as const;
  await Promise.all(
    names.map(async (name) => {
      const { sending, behind } = points[name];
      const known = await stage.rowOf(sending);
      const answer = await untilAccepted(sending);
      if (known) expect(answer.replayed).toBe(true);
      expect(JSON.parse(answer.text).id).toBe((await stage.rowOf(sending))?.id);
      await untilAccepted(behind);
    }),
  );
});

test('a kill at the last point of a send and during two status webhooks, loses no answer and no webhook', async () => {
  const { database } = stage.proxies;
  const taken = takenOf('taken');
  const unprocessed = database.holdRequest(taken.id);
  const reports = [stage.whatsapp.report(taken, 'delivered')];
  await unprocessed.reached;
  // From here on neither the workflow nor the client gets an answer.
  await standBeforeAnswer();
  // This must be the last point, because WhatsApp soon sends a webhook again that gets no answer. One statement stores it,
  // and is a transaction by itself. The payload is in it encoded, its empty list of customers as text.
  const unstored = database.holdRequest('"customers":[]');
  reports.push(stage.whatsapp.report(taken, 'sent'));
  await unstored.reached;
  await killAt('unanswered');
  for (const held of [unstored, unprocessed]) held.drop();
  const { adminSql } = stage.database;
  expect(await adminSql`select from inbound_payloads where processed_at is null`).toHaveLength(1);
  // Expire the lease of the killed process.
  await adminSql`update inbound_payloads set next_attempt_at = clock_timestamp() where processed_at is null`;
  await stage.start('messaging');
  expect(await Promise.all(reports)).toEqual([200, 200]);
  const { sending, behind } = points.unanswered;
  const answer = await untilAccepted(sending);
  expect(answer.replayed).toBe(true);
  expect(JSON.parse(answer.text)).toMatchObject({ sent: true, id: (await stage.rowOf(sending))?.id });
  await untilAccepted(behind);
});

test('the message gets the status of both webhooks', async () => {
  await untilStatus('taken', 'delivered');
});

test('an attempt whose answer was not recorded becomes unknown, is never retried, and is settled by its status webhook', async () => {
  await untilStatus('accepted', 'unknown');
  expect(await stage.whatsapp.report(takenOf('accepted'), 'delivered')).toBe(200);
  await untilStatus('accepted', 'delivered');
  expect(await stage.rowOf(points.accepted.sending)).toMatchObject({ attempts: 1 });
});

test('an attempt whose request may not have arrived becomes unknown, is never retried, and blocks its queue until an operator settles it', async () => {
  await untilStatus('asked', 'unknown');
  const { sending, behind } = points.asked;
  const message_id = (await stage.rowOf(sending))?.id as string;
  // Its queue goes on after a minute, which may have passed on a slow machine.
  const [hold] = await stage.database.adminSql<[{ kept: boolean }]>`
    select behind.sent_at is null or behind.sent_at >= m.unknown_since + interval '1 minute' as kept
    from messages m, messages behind where m.id = ${message_id} and behind.body = ${behind.text}`;
  expect(hold.kept).toBe(true);
  await stage.call(settleMessage, { body: { message_id, status: 'failed' } }, stage.store.id);
  await waitFor(() => stage.sentTo(sending.lead).length > 0, { description: 'the next message is sent' });
  expect(stage.sentTo(sending.lead)).toEqual([behind.text]);
  expect(await stage.rowOf(sending)).toMatchObject({ status: 'failed', attempts: 1 });
});

test.each([
  ['before the acceptance was committed', 'uncommitted'],
  ['after the commit, before messaging got its answer', 'committed'],
  ['before the signal to Temporal', 'untold'],
  ['after the signal to Temporal, before messaging got its answer', 'told'],
  ['in the step, before the attempt was committed', 'begun'],
  ['after WhatsApp accepted the message, before its answer', 'taken'],
  ['after WhatsApp answered, before the commit of the outcome', 'accepted'],
  ['after the commit of the outcome, before any answer', 'unanswered'],
] as const)('after a kill %s WhatsApp accepts the message once, and then the next one once', async (_, point) => {
  const { sending, behind, first } = points[point];
  expect([0, 200, 202, 503, 504]).toContain((await first).status);
  await waitFor(() => stage.sentTo(sending.lead).length >= 2, {
    description: 'both messages are sent',
  });
  await waitFor(async () => (await statusOf(behind)) === 'sent', { description: 'the next message is recorded' });
  expect(stage.sentTo(sending.lead)).toEqual([sending.text, behind.text]);
  expect(await statusOf(sending)).toMatch(/^(sent|delivered)$/);
});
