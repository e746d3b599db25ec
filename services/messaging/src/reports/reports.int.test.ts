import { randomUUID } from 'node:crypto';
import {
  closeConversationReports,
  closeSession,
  deliverMessages,
  firstResponseBucketSeconds,
  pricingCategories,
  type ReplyOf,
  reportConversation,
  resetConversationReports,
  summarizeConversations,
  verifyConversationReports,
} from '@mostrador/contracts';
import { toRows } from '@mostrador/kit/rpc/columns';
import { testContext } from '@mostrador/testing/context';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { histories, insertHistory, recount } from '../../test/history.ts';
import { connectWhatsapp } from '../../test/inbound-webhook.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import type { ReceivedStatusUpdate } from '../channels/channel-provider.ts';
import { type Accepted, ChannelError, type OutboundMessage } from '../channels/channel-provider.ts';
import { applyReceivedStatus } from '../delivery/apply-received-status.ts';
import { acceptInbound } from '../inbound/accept-inbound.ts';
import { endIdleSessions } from '../sessions/end-idle-sessions.ts';

let messaging: TestMessaging;
let send: (message: OutboundMessage) => Promise<Accepted>;
beforeAll(async () => {
  messaging = await startMessaging({
    openChannel: () => ({ send: (message) => send(message) }),
    rateCard: { currency: 'XTS', rateOf: () => undefined },
  });
});
beforeEach(() => {
  send = async ({ id }) => ({ providerMessageId: `wamid.${id}`, waId: null });
});
afterAll(() => messaging?.stop());

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const inMs = (ms: number) => new Date(Date.now() + ms);
const summary = async (storeId: string, boundaries: readonly Date[]) => {
  const { rpc } = messaging;
  const context = testContext({ storeId });
  const inMs = boundaries.map((at) => at.getTime());
  const counted = await rpc.call(summarizeConversations, { body: { boundaries: inMs } }, context);
  return { ...counted, buckets: toRows(counted.buckets, boundaries.length - 1) };
};
const report = (storeId: string, lead_id: string, [from, to]: readonly [Date | null, Date | null] = [null, null]) =>
  messaging.rpc.call(
    reportConversation,
    { body: { lead_id, from: from?.toISOString() ?? null, to: to?.toISOString() ?? null } },
    testContext({ storeId }),
  );
const close = async () => {
  while ((await messaging.rpc.call(closeConversationReports, {}, testContext())).more);
};
const verify = () => messaging.rpc.call(verifyConversationReports, { body: { after: null } }, testContext());
/** Reopens every quarter-hour from this time on, as if the job had stopped here. */
const reopen = async (from: Date) => {
  await messaging.adminSql`delete from report_quarters where quarter >= ${from}`;
  await messaging.adminSql`update report_closing set closed_until = ${from}`;
};
type Cost = NonNullable<ReplyOf<typeof reportConversation>['messages_cost']>;
type Counts = Omit<
  ReplyOf<typeof reportConversation>,
  'first_response_seconds' | 'last_interaction_at' | 'messages_cost'
> & { messages_cost?: Pick<Cost, 'without_rate' | 'amounts'> };
function additive(total: ReplyOf<typeof summarizeConversations>['total']): Counts {
  const { first_response_seconds: _, messages_cost, ...counts } = total;
  const { without_rate, amounts } = messages_cost as Cost;
  return { ...counts, messages_cost: { without_rate, amounts } };
}
function sum(all: readonly Counts[]): Counts {
  const total = (count: (one: Counts) => number) => all.reduce((before, one) => before + count(one), 0);
  const by = (of: (one: Counts) => Cost['amounts'] | undefined) =>
    Object.fromEntries(
      pricingCategories.map((category) => {
        const sumOf = (source: 'ai' | 'seller' | 'api' | 'followup') =>
          total((one) => of(one)?.[category][source] ?? 0);
        return [category, { ai: sumOf('ai'), seller: sumOf('seller'), api: sumOf('api'), followup: sumOf('followup') }];
      }),
    ) as Cost['amounts'];
  return {
    sessions_started: total((one) => one.sessions_started),
    sessions_ended: total((one) => one.sessions_ended),
    messages_inbound: total((one) => one.messages_inbound),
    messages_outbound: {
      ai: total((one) => one.messages_outbound.ai),
      seller: total((one) => one.messages_outbound.seller),
      api: total((one) => one.messages_outbound.api),
      followup: total((one) => one.messages_outbound.followup),
    },
    messages_priced: {
      billable: by((one) => one.messages_priced?.billable),
      free: by((one) => one.messages_priced?.free),
    },
    messages_cost: {
      without_rate: total((one) => one.messages_cost?.without_rate ?? 0),
      amounts: by((one) => one.messages_cost?.amounts),
    },
    messages_failed: total((one) => one.messages_failed),
  };
}

test('a report equals a recount of the rows and the sum over its leads, with any quarter-hours closed', async () => {
  const days = 4;
  const beganAt = new Date(Math.floor(Date.now() / dayMs) * dayMs - 10 * dayMs);
  const quarters = (days * dayMs) / (15 * minuteMs);
  const cut = fc.oneof(
    fc.integer({ min: 0, max: quarters }).map((n) => n * 15 * minuteMs),
    fc.integer({ min: 0, max: days * dayMs }),
  );
  await fc.assert(
    fc.asyncProperty(
      histories(days),
      histories(days),
      fc.uniqueArray(cut, { minLength: 2, maxLength: 6 }),
      fc.integer({ min: 0, max: quarters }),
      async (history, others, cuts, closedQuarters) => {
        await messaging.rpc.call(resetConversationReports, {}, testContext());
        const [storeId, { adminSql }] = [randomUUID(), messaging];
        const leads = await insertHistory(adminSql, storeId, beganAt, history);
        await insertHistory(adminSql, randomUUID(), beganAt, others);
        const boundaries = cuts.sort((a, b) => a - b).map((ms) => new Date(beganAt.getTime() + ms));
        const whole = [boundaries[0], boundaries.at(-1)] as [Date, Date];
        const buckets = boundaries.slice(1).map((to, n) => [boundaries[n], to] as [Date, Date]);
        const expected = {
          total: await recount(adminSql, storeId, whole),
          buckets: await Promise.all(buckets.map((span) => recount(adminSql, storeId, span))),
          by_ad: [],
        };
        expect(await summary(storeId, boundaries), 'open').toEqual(expected);
        await close();
        expect(await summary(storeId, boundaries), 'closed').toEqual(expected);
        await reopen(new Date(beganAt.getTime() + closedQuarters * 15 * minuteMs));
        expect(await summary(storeId, boundaries), 'closed in part').toEqual(expected);
        await close();
        expect(await summary(storeId, boundaries), 'closed in two').toEqual(expected);
        const ofLeads = await Promise.all(leads.map((lead) => report(storeId, lead, whole)));
        for (const [n, { last_interaction_at, ...counts }] of ofLeads.entries()) {
          expect(counts).toEqual(await recount(adminSql, storeId, whole, leads[n]));
        }
        expect(sum(ofLeads)).toEqual(additive(expected.total));
        expect((await verify()).wrong).toEqual([]);
      },
    ),
    // No shrinking: every example is written to the database, so it would take long.
    { numRuns: 4, endOnFailure: true },
  );
});

/** A conversation that the lead opened, over a channel that accepts every message unless the test changes `send`. */
async function open() {
  const storeId = randomUUID();
  const { channelId } = await connectWhatsapp(messaging, storeId);
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0)`;
  const write = async (writtenAt = new Date()) => {
    const message = {
      providerMessageId: `wamid.${randomUUID()}`,
      waId: '5511900000001',
      userId: null,
      name: 'Maria',
      kind: 'text',
    };
    const accepted = await acceptInbound(messaging.dependencies, testContext({ storeId }), channelId, {
      ...message,
      body: 'Hello',
      writtenAt,
    });
    return accepted?.lead_id as string;
  };
  const leadId = await write();
  const scope = testContext({ storeId });
  return {
    storeId,
    leadId,
    write,
    answer: () => messaging.send(storeId, leadId),
    deliver: () => messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, scope),
    say: (id: string, status: ReceivedStatusUpdate['status'], at = new Date()) =>
      applyReceivedStatus(messaging.dependencies, scope, channelId, {
        providerMessageId: `wamid.${id}`,
        callbackData: id,
        status,
        at,
        ...(status === 'failed' && { error: { code: 'whatsapp_131026', detail: 'Undeliverable.' } }),
      }),
    /** The counts of these 20 minutes. It checks that the summary and the lead's report agree. */
    counts: async () => {
      const span = [inMs(-10 * minuteMs), inMs(10 * minuteMs)] as const;
      const { total } = await summary(storeId, span);
      const { last_interaction_at, ...ofLead } = await report(storeId, leadId, span);
      expect(ofLead).toEqual(total);
      return total;
    },
  };
}
const none = { ai: 0, seller: 0, api: 0, followup: 0 };

test('a message counts at the time when its acceptance was recorded, not at the provider’s time', async () => {
  const { storeId, leadId, write, answer, deliver, say, counts } = await open();
  await write(inMs(-30 * dayMs));
  const { id } = await answer();
  expect(await counts()).toMatchObject({ sessions_started: 1, messages_inbound: 2, messages_outbound: none });
  await say(id, 'delivered', inMs(-2 * dayMs));
  await deliver();
  await say(id, 'read', inMs(2 * dayMs));
  expect(await counts()).toMatchObject({ messages_inbound: 2, messages_outbound: { ...none, api: 1 } });
  expect((await summary(storeId, [inMs(-60 * dayMs), inMs(-dayMs)])).total).toMatchObject({ messages_inbound: 0 });
  const [row] = await messaging.adminSql`select counted_at from messages where id = ${id}`;
  expect((await report(storeId, leadId)).last_interaction_at).toBe(row?.counted_at.toISOString());
});

test('a queued or rejected message does not count as sent, and a failure stays counted', async () => {
  const { answer, deliver, say, counts } = await open();
  const { id } = await answer();
  send = () => Promise.reject(new ChannelError('refused', 'whatsapp_131026', 'Undeliverable.'));
  await deliver();
  expect(await counts()).toMatchObject({ messages_outbound: none, messages_failed: 1 });
  // The message was delivered after all.
  await say(id, 'delivered');
  expect(await counts()).toMatchObject({ messages_outbound: { ...none, api: 1 }, messages_failed: 1 });
});

test('the first response of a session is the first message that the provider accepted', async () => {
  const { storeId, answer, deliver, counts } = await open();
  await answer();
  send = () => Promise.reject(new ChannelError('refused', 'whatsapp_131026', 'Undeliverable.'));
  await deliver();
  expect((await counts()).first_response_seconds.p50).toBeNull();
  send = async ({ id }) => ({ providerMessageId: `wamid.${id}`, waId: null });
  const { id } = await answer();
  await deliver();
  await answer();
  await deliver();
  const [session] = await messaging.adminSql`
    select started_at, first_response_at, (select counted_at from messages where id = ${id}) as counted_at
    from sessions where store_id = ${storeId}`;
  expect(session?.first_response_at).toEqual(session?.counted_at);
  const average = (session?.first_response_at - session?.started_at) / 1000;
  expect((await counts()).first_response_seconds).toMatchObject({ p50: 1, p90: 1, average });
});

test('a session that the store opened has no first response', async () => {
  const { storeId, leadId, write, answer, deliver } = await open();
  const [session] = await messaging.adminSql`select id from sessions where store_id = ${storeId}`;
  await messaging.rpc.call(closeSession, { params: { leadId, sessionId: session?.id } }, testContext({ storeId }));
  await answer();
  await write();
  await deliver();
  expect((await report(storeId, leadId)).first_response_seconds.p50).toBeNull();
});

test('the end of an idle session counts at the time when the job records it', async () => {
  const { storeId, leadId } = await open();
  await messaging.adminSql`
    update sessions set last_message_at = now() - interval '40 days' where store_id = ${storeId}`;
  await endIdleSessions({ ...messaging.dependencies, log: testContext().log }, new AbortController().signal);
  const { total, buckets } = await summary(storeId, [inMs(-60 * dayMs), inMs(-10 * minuteMs), inMs(10 * minuteMs)]);
  expect(total).toMatchObject({ sessions_started: 1, sessions_ended: 1 });
  expect(buckets).toMatchObject([{ sessions_ended: 0 }, { sessions_ended: 1 }]);
  expect(await report(storeId, leadId)).toMatchObject({ sessions_ended: 1 });
});

test('the response buckets have the limits of the contracts, which are inclusive', async () => {
  const { adminSql } = messaging;
  const storeId = randomUUID();
  for (const [bucket, limit] of firstResponseBucketSeconds.entries()) {
    for (const [ms, shown] of [
      [limit * 1000, limit],
      [limit * 1000 + 1, firstResponseBucketSeconds[bucket + 1] ?? limit],
    ] as const) {
      const lead_id = randomUUID();
      await adminSql`insert into conversations (store_id, lead_id) values (${storeId}, ${lead_id})`;
      await adminSql`
        insert into sessions (store_id, lead_id, started_at, last_message_at, opened_by_lead, first_response_at)
        values (${storeId}, ${lead_id}, '2026-01-01', '2026-01-01', true,
          '2026-01-01'::timestamptz + ${ms} * interval '1 millisecond')`;
      expect((await report(storeId, lead_id)).first_response_seconds.p50, `${ms} ms`).toBe(shown);
    }
  }
});

test('a store or a lead without conversations has zero counts', async () => {
  const unpriced = { marketing: none, utility: none, authentication: none, service: none, other: none };
  const nothing = {
    sessions_started: 0,
    sessions_ended: 0,
    messages_inbound: 0,
    messages_outbound: none,
    messages_priced: { billable: unpriced, free: unpriced },
    messages_cost: { currency: 'XTS', amount: 0, without_rate: 0, amounts: unpriced },
    messages_failed: 0,
    first_response_seconds: { p50: null, p90: null, average: null },
  };
  const { storeId, leadId } = await open();
  expect(await summary(randomUUID(), [inMs(-dayMs), inMs(0), inMs(dayMs)])).toEqual({
    total: nothing,
    buckets: [nothing, nothing],
    by_ad: [],
  });
  for (const [store, lead] of [
    [storeId, randomUUID()],
    [randomUUID(), leadId],
  ] as const) {
    expect(await report(store, lead)).toEqual({ ...nothing, last_interaction_at: null });
  }
});
