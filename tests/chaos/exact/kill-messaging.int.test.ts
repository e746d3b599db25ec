import { settleMessage } from '@mostrador/contracts';
import type { Hold } from '@mostrador/testing/proxy/tcp-proxy';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from './creation.ts';
import { type Lead, type Sending, type SendingStage, startSendingStage, untilAccepted } from './sending.ts';

// messaging is killed at every point of a send. Points are held together, one message at each, and one kill meets them
// all: the lease of an attempt that nobody lived to record takes a quarter of a minute.

type Point = 'begun' | 'uncommitted' | 'committed' | 'asked' | 'taken' | 'accepted' | 'untold' | 'told' | 'unanswered';

/** An attempt that was lost is known as such when its lease has run out. */
const leaseOverMs = 25_000;
let stage: SendingStage;
let leads: Lead[];
const points = {} as Record<Point, { sending: Sending; behind: Sending; first: Promise<Answer>; held: Hold }>;
const inPoints = (...names: Point[]) => names.map((name) => points[name]);

/** Sends to a lead of its own, and waits until the conversation stands at the point. */
async function standAt(point: Point, holdOf: (sending: Sending) => Hold): Promise<Hold> {
  const lead = leads.pop() as Lead;
  const [sending, behind] = [stage.newSending(lead), stage.newSending(lead)];
  const held = holdOf(sending);
  points[point] = { sending, behind, first: sending.send(), held };
  await held.reached;
  return held;
}

/** Kills messaging; what was held is never delivered. */
async function killAt(...names: Point[]): Promise<void> {
  await stage.kill('messaging');
  for (const { held } of inPoints(...names)) held.drop();
}

const statusOf = async (sending: Sending) => (await stage.rowOf(sending))?.status;
const stateOf = async (point: Point) => {
  const { sending } = points[point];
  return [await statusOf(sending), stage.sentTo(sending.lead).length];
};
const takenOf = (point: Point) => {
  const taken = stage.whatsapp.log.find(({ text }) => text === points[point].sending.text);
  if (!taken) throw new Error(`${point}: WhatsApp has not taken it`);
  return taken;
};
const untilStatus = (point: Point, status: string) =>
  waitFor(async () => (await statusOf(points[point].sending)) === status, {
    description: `${point} is ${status}`,
    timeoutMs: leaseOverMs,
  });

beforeAll(async () => {
  stage = await startSendingStage({
    processes: ['gateway', 'crm', 'messaging', 'workflows'],
    requestTimeoutMs: 2000,
  });
  leads = await stage.newLeads(9);
  const { database, provider, temporal } = stage.proxies;
  await standAt('uncommitted', ({ text }) => database.holdRequest('commit', text));
  await standAt('committed', ({ text }) => database.holdAnswer('commit', text));
  await standAt('asked', ({ text }) => provider.holdRequest(text));
  await standAt('taken', ({ text }) => provider.holdAnswer(text));
  await standAt('accepted', () => database.holdRequest('wamid.'));
  // The last step, as it has the channel's rate locked.
  const told = await standAt('begun', ({ lead }) => temporal.holdRequest(lead.id));
  points.begun.held = database.holdRequest('commit', points.begun.sending.lead.id);
  told.release();
  await points.begun.held.reached;
  // The last one, as the whole connection stands still.
  await standAt('untold', ({ lead }) => temporal.holdRequest(lead.id));
});
afterAll(() => stage?.stop());

test('at the moment of the kill the sends stand where they are to', async () => {
  await killAt('begun', 'uncommitted', 'committed', 'asked', 'taken', 'accepted', 'untold');
  expect(await stateOf('begun')).toEqual(['queued', 0]);
  expect(await stateOf('uncommitted')).toEqual([undefined, 0]);
  expect((await stateOf('committed'))[0]).toBeDefined();
  expect(await stateOf('asked')).toEqual(['sending', 0]);
  expect(await stateOf('taken')).toEqual(['sending', 1]);
  expect(await stateOf('accepted')).toEqual(['sending', 1]);
  expect(await stateOf('untold')).toEqual(['queued', 0]);
  await stage.start('messaging');
});

test('each key is answered with the message that was accepted, and a next message is accepted behind it', async () => {
  const names = ['begun', 'uncommitted', 'committed', 'asked', 'taken', 'accepted', 'untold'] as const;
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

test('killed after it was recorded and nobody was answered, after Temporal was told, and with a status webhook not yet stored and one not yet processed', async () => {
  const { database, nats, temporal } = stage.proxies;
  const taken = takenOf('taken');
  const unprocessed = database.holdRequest(taken.id);
  const reports = [stage.whatsapp.report(taken, 'delivered')];
  await unprocessed.reached;
  // A payload goes to the database encoded; that nobody wrote in it stands beside it.
  const unstored = database.holdRequest('commit', '"customers":[]');
  reports.push(stage.whatsapp.report(taken, 'sent'));
  await unstored.reached;
  // Neither the workflow nor the client hears anything from here on.
  await standAt('unanswered', () => nats.holdRequest(' _INBOX_workflows'));
  await untilStatus('unanswered', 'sent');
  await standAt('told', ({ lead }) => temporal.holdAnswer(lead.id));
  await killAt('unanswered', 'told');
  for (const held of [unstored, unprocessed]) held.drop();
  const { adminSql } = stage.database;
  expect(await adminSql`select from inbound_payloads where processed_at is null`).toHaveLength(1);
  // The lease of who was at it is over, as far as who comes next can tell.
  await adminSql`update inbound_payloads set next_attempt_at = clock_timestamp() where processed_at is null`;
  await stage.start('messaging');
  expect(await Promise.all(reports)).toEqual([200, 200]);
  const { sending, behind } = points.unanswered;
  const answer = await untilAccepted(sending);
  expect(answer.replayed).toBe(true);
  expect(JSON.parse(answer.text)).toMatchObject({ sent: true, id: (await stage.rowOf(sending))?.id });
  await untilAccepted(behind);
  expect((await untilAccepted(points.told.sending)).replayed).toBe(true);
  await untilAccepted(points.told.behind);
});

test('what the status webhooks report is there after all', async () => {
  await untilStatus('taken', 'delivered');
});

test(
  'what WhatsApp had answered and nobody recorded is unknown and never sent again, and its status webhook settles it',
  async () => {
    await untilStatus('accepted', 'unknown');
    expect(await stage.whatsapp.report(takenOf('accepted'), 'delivered')).toBe(200);
    await untilStatus('accepted', 'delivered');
    expect(await stage.rowOf(points.accepted.sending)).toMatchObject({ attempts: 1 });
  },
  leaseOverMs + 10_000,
);

test(
  'whether WhatsApp had the request nobody knows: it is unknown and never sent again, and a person who settles it lets those behind it go',
  async () => {
    await untilStatus('asked', 'unknown');
    const { sending, behind } = points.asked;
    expect(await statusOf(behind)).toBe('queued');
    const message_id = (await stage.rowOf(sending))?.id as string;
    await stage.call(settleMessage, { body: { message_id, status: 'failed' } }, stage.store.id);
    await waitFor(() => stage.sentTo(sending.lead).length > 0, { description: 'the next one is sent' });
    expect(stage.sentTo(sending.lead)).toEqual([behind.text]);
    expect(await stage.rowOf(sending)).toMatchObject({ status: 'failed', attempts: 1 });
  },
  leaseOverMs + 10_000,
);

test.each([
  ['before the acceptance was committed', 'uncommitted'],
  ['after the commit, before messaging heard of it', 'committed'],
  ['before Temporal was told', 'untold'],
  ['after Temporal was told, before messaging heard of it', 'told'],
  ['in the step, before the attempt was committed', 'begun'],
  ['after WhatsApp had taken it, before its answer', 'taken'],
  ['after WhatsApp had answered, before that was recorded', 'accepted'],
  ['after it was recorded, before anybody was answered', 'unanswered'],
] as const)(
  'killed %s: WhatsApp took it once, and the next one once and after it',
  async (_, point) => {
    const { sending, behind, first } = points[point];
    expect([0, 200, 202, 503, 504]).toContain((await first).status);
    await waitFor(() => stage.sentTo(sending.lead).length >= 2, {
      description: 'both are sent',
      timeoutMs: leaseOverMs,
    });
    await waitFor(async () => (await statusOf(behind)) === 'sent', { description: 'the next one is recorded' });
    expect(stage.sentTo(sending.lead)).toEqual([sending.text, behind.text]);
    expect(await statusOf(sending)).toMatch(/^(sent|delivered)$/);
  },
  leaseOverMs + 10_000,
);
