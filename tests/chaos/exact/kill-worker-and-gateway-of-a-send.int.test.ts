import { settleMessage, updateMessagingSettings } from '@mostrador/contracts';
import type { Hold } from '@mostrador/testing/proxy/tcp-proxy';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, areInTime, sendTo } from './creation.ts';
import { type Lead, type Sending, type SendingStage, startSendingStage, untilAccepted } from './sending.ts';

// The worker and the gateway are killed during a send. One kill of the worker hits the step at four points. The gateway
// is killed while Temporal still waits for the lost worker.

type Point = 'asked' | 'taken' | 'answered' | 'before';

let stage: SendingStage;
let leads: Lead[];
const points = {} as Record<Point, { sending: Sending; behind: Sending }>;

/** Sends to a new lead and waits until the step is held at the point. */
async function standAt(point: Point, holdOf: (sending: Sending) => Hold): Promise<Hold> {
  const sending = newSending();
  points[point] = { sending, behind: stage.newSending(sending.lead) };
  const hold = holdOf(sending);
  await sendTo([hold], sending);
  return hold;
}

const newSending = () => stage.newSending(leads.pop() as Lead);

const untilSent = (sending: Sending) =>
  waitFor(async () => (await stage.rowOf(sending))?.status === 'sent', { description: 'the message is sent' });

beforeAll(async () => {
  stage = await startSendingStage({
    processes: ['gateway', 'crm', 'messaging', 'workflows'],
  });
  leads = await stage.newLeads(40);
  const { provider, workflowsNats } = stage.proxies;
  for (;;) {
    const calls = [
      await standAt('asked', ({ text }) => provider.holdRequest(text)),
      await standAt('taken', ({ text }) => provider.holdAnswer(text)),
    ];
    const answered = await standAt('answered', () => workflowsNats.holdDelivery(' _INBOX_workflows'));
    await stage.kill('workflows');
    const isInTime = areInTime(calls);
    // messaging finishes its requests although the worker that waited for them is gone.
    for (const call of calls) call.release();
    if (isInTime) return;
    // A slow machine begins again with other leads.
    answered.drop();
    await stage.start('workflows');
  }
});
afterAll(() => stage?.stop());

test('without a worker messages are accepted, and steps in progress send and record theirs', async () => {
  const sending = newSending();
  points.before = { sending, behind: stage.newSending(sending.lead) };
  const answer = await untilAccepted(sending);
  expect(JSON.parse(answer.text)).toMatchObject({ sent: false, status: 'queued' });
  for (const point of ['asked', 'taken', 'answered'] as const) await untilSent(points[point].sending);
  await Promise.all(
    Object.values(points).map(async (point) => {
      expect((await untilAccepted(point.sending)).replayed).toBe(true);
      await untilAccepted(point.behind);
    }),
  );
  await stage.start('workflows');
});

async function killGatewayAt(hold: Hold, work: Promise<Answer>): Promise<Answer> {
  await stage.kill('gateway');
  hold.drop();
  await stage.start('gateway');
  return await work;
}

test('after a kill of the gateway before its request leaves, nothing is stored and the retry sends the message', async () => {
  const sending = newSending();
  const hold = stage.proxies.gatewayNats.holdRequest(sending.text);
  const { answer } = await sendTo([hold], sending);
  expect((await killGatewayAt(hold, answer)).status).toBe(0);
  expect(await stage.rowOf(sending)).toBeUndefined();
  expect((await untilAccepted(sending)).replayed).toBe(false);
  await untilSent(sending);
  expect(stage.sentTo(sending.lead)).toEqual([sending.text]);
});

/** Sends until the channel accepts a message within the wait, which may be too short on a busy machine. */
async function holdAnswerOfSent(): Promise<{ sending: Sending; hold: Hold; work: Promise<Answer> }> {
  for (;;) {
    const sending = newSending();
    const hold = stage.proxies.gatewayNats.holdDelivery('"sent":true');
    const work = sending.send();
    const isHeld = await Promise.race([hold.reached.then(() => true), work.then(() => false)]);
    if (isHeld) return { sending, hold, work };
    hold.release();
  }
}

test('after a kill of the gateway before the answer arrives, the message is sent once and the retry gets the stored answer', async () => {
  const { sending, hold, work } = await holdAnswerOfSent();
  expect((await killGatewayAt(hold, work)).status).toBe(0);
  const answer = await untilAccepted(sending);
  expect(answer.replayed).toBe(true);
  expect(JSON.parse(answer.text)).toMatchObject({ sent: true, id: (await stage.rowOf(sending))?.id });
  expect(stage.sentTo(sending.lead)).toEqual([sending.text]);
});

test('after a kill of the gateway during a status webhook, WhatsApp posts it again and the message is delivered', async () => {
  const sending = newSending();
  await untilAccepted(sending);
  await untilSent(sending);
  const taken = stage.whatsapp.log.find(({ text }) => text === sending.text);
  if (!taken) throw new Error('WhatsApp has not accepted the message');
  const hold = stage.proxies.gatewayNats.holdRequest('messaging.api.webhooks.receive');
  const reported = stage.whatsapp.report(taken, 'delivered');
  await hold.reached;
  await stage.kill('gateway');
  hold.drop();
  expect((await stage.rowOf(sending))?.status).toBe('sent');
  await stage.start('gateway');
  expect(await reported).toBe(200);
  await waitFor(async () => (await stage.rowOf(sending))?.status === 'delivered', {
    description: 'the message is delivered',
  });
});

/** A person looks at WhatsApp. Only a machine that stands still makes an outcome unknown here. */
async function settleUnknown(): Promise<void> {
  const rows = await stage.database.adminSql<{ id: string; body: string }[]>`
    select id, body from messages where status = 'unknown'`;
  for (const { id, body } of rows) {
    const status = stage.whatsapp.log.some(({ text }) => text === body) ? 'sent' : 'failed';
    await stage.call(settleMessage, { body: { message_id: id, status } }, stage.store.id);
  }
}

test('200 messages to 20 leads are each sent once and in order through an outage of Temporal and a restart of NATS', async () => {
  const { temporal, workflowsTemporal } = stage.proxies;
  await stage.call(updateMessagingSettings, { body: { message_wait_seconds: 0 } }, stage.store.id);
  const queues = leads.splice(0, 20).map((lead) => Array.from({ length: 10 }, () => stage.newSending(lead)));
  const texts = queues.flat().map(({ text }) => text);
  const untilThere = (count: number) =>
    waitFor(
      async () => (await stage.database.adminSql`select from messages where body = any(${texts})`).length >= count,
      { description: `${count} messages are accepted` },
    );
  const accepted = Promise.all(
    queues.map(async (queue) => {
      for (const sending of queue) await untilAccepted(sending);
    }),
  );
  await untilThere(50);
  temporal.cut();
  workflowsTemporal.cut();
  await untilThere(100);
  await stage.nats.stopServer();
  await stage.nats.startServer();
  await accepted;
  temporal.mend();
  workflowsTemporal.mend();
  const sent = async () => {
    await settleUnknown();
    return queues.every(([first]) => first && stage.sentTo(first.lead).length >= 10);
  };
  await waitFor(sent, { description: 'all messages are sent', timeoutMs: 240_000 });
  for (const queue of queues) {
    expect(stage.sentTo(queue[0]?.lead as Lead)).toEqual(queue.map(({ text }) => text));
  }
});

test.each([
  ['before the step began', 'before'],
  ['before the request reached WhatsApp', 'asked'],
  ['after WhatsApp accepted the message', 'taken'],
  ['after messaging answered', 'answered'],
] as const)(
  'after a kill of the worker %s WhatsApp accepts the message once, and then the next one once',
  async (_, point) => {
    const { sending, behind } = points[point];
    await untilSent(behind);
    expect(stage.sentTo(sending.lead)).toEqual([sending.text, behind.text]);
    expect(await stage.rowOf(sending)).toMatchObject({ status: 'sent', attempts: 1 });
  },
);
