import {
  cancelMessage,
  closeSession,
  fenceMessages,
  type InboxConversation,
  mergeConversations,
} from '@mostrador/contracts';
import type { AppError } from '@mostrador/kit/rpc/errors';
import { testContext } from '@mostrador/testing/context';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newInbox, type TestInbox } from '../../test/inbox.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { applyStatusUpdates } from '../delivery/apply-status-updates.ts';
import { markUnknown } from '../delivery/attempt.repository.ts';
import { lockMessage } from '../delivery/lock-message.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());

const context = (storeId: string) => testContext({ storeId });

/** What the inbox should say of each conversation, counted from the messages one by one. */
async function recount({ storeId }: TestInbox, handOvers: ReadonlySet<string>) {
  const { adminSql } = messaging;
  const messages = await adminSql`select * from messages where store_id = ${storeId} order by number`;
  const sessions = await adminSql`select id from sessions where store_id = ${storeId} and closed_at is not null`;
  const closed = new Set(sessions.map(({ id }) => id));
  const conversations = await adminSql`
    select lead_id, read_number, next_number from conversations where store_id = ${storeId}`;
  return conversations.flatMap(({ lead_id, read_number, next_number }) => {
    const own = messages.filter((row) => row.lead_id === lead_id);
    // The number of a lead's messages is read from `next_number`.
    expect([...own.map(({ number }) => Number(number)), Number(next_number)]).toEqual(
      Array.from({ length: own.length + 1 }, (_, index) => index + 1),
    );
    const last = own.at(-1);
    if (!last) return [];
    const counted = own.filter(({ status }) => status !== 'cancelled');
    const isAnswer = ({ id, direction, status, session_id }: (typeof own)[number]) =>
      (direction === 'outbound' && status !== 'cancelled' && !handOvers.has(id)) || closed.has(session_id);
    const lastAnswer = own.findLast(isAnswer)?.number ?? 0;
    const waiting = own.find(({ direction, number }) => direction === 'inbound' && Number(number) > Number(lastAnswer));
    const lastToLead = counted.findLast(({ direction }) => direction === 'outbound');
    return [
      {
        lead_id,
        last_message: last.id,
        last_activity_at: last.created_at.toISOString(),
        unanswered: waiting !== undefined,
        waiting_since: waiting?.created_at.toISOString() ?? null,
        needs_attention: lastToLead?.status === 'failed' || lastToLead?.status === 'unknown',
        unread_count: own.filter((row) => row.direction === 'inbound' && Number(row.number) > Number(read_number))
          .length,
      },
    ];
  });
}

async function shown(inbox: TestInbox) {
  const { data, total } = await inbox.list();
  expect(total).toBe(data.length);
  const longest = await inbox.list({ sort: 'waiting_since' });
  const waiting = data.filter(({ unanswered }) => unanswered);
  expect(longest.data).toEqual(waiting.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)));
  expect(longest.total).toBe(waiting.length);
  return data.map(({ lead, last_message, last_activity_at, unanswered, waiting_since, ...rest }) => ({
    ...{ lead_id: lead.id, last_message: last_message.id, last_activity_at, unanswered, waiting_since },
    ...{ needs_attention: rest.needs_attention, unread_count: rest.unread_count },
  }));
}

/** As text in the order of the list by waiting. */
const placeOf = ({ waiting_since, lead }: InboxConversation) => `${waiting_since} ${lead.id}`;

type Place = { readonly lead: number; readonly message: number };
type Step =
  | { readonly kind: 'hear'; readonly lead: number }
  | { readonly kind: 'say'; readonly lead: number; readonly source: 'ai' | 'seller' | 'api' | 'followup' }
  | { readonly kind: 'hand_over'; readonly lead: number }
  | ({ readonly kind: 'read' | 'cancel' | 'unknown' | 'close' } & Place)
  | ({ readonly kind: 'status'; readonly status: 'sent' | 'delivered' | 'read' | 'failed' } & Place)
  | { readonly kind: 'merge' | 'fence' };

const lead = fc.nat({ max: 2 });
const place = { lead, message: fc.nat({ max: 7 }) };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('hear' as const), lead }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('say' as const),
      lead,
      source: fc.constantFrom('ai' as const, 'seller' as const, 'api' as const, 'followup' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hand_over' as const), lead }) },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constantFrom('read' as const, 'cancel' as const, 'unknown' as const, 'close' as const),
      ...place,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      status: fc.constantFrom('sent' as const, 'delivered' as const, 'read' as const, 'failed' as const),
      ...place,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('merge' as const, 'fence' as const) }) },
);

const hear: Step = { kind: 'hear', lead: 0 };
const say = (source: 'ai' | 'seller' | 'api'): Step => ({ kind: 'say', lead: 0, source });
const handOver: Step = { kind: 'hand_over', lead: 0 };
/** What a person or a hand-over cancels of the AI, and a cancelled message after a hand-over. */
const examples: [Step[]][] = [
  [[hear, say('ai'), say('seller')]],
  [[hear, say('ai'), handOver]],
  [[hear, handOver, say('api'), { kind: 'cancel', lead: 0, message: 2 }]],
];

test('after any operations the inbox says of each conversation what its messages say', async () => {
  const { database } = messaging.dependencies;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const inbox = await newInbox(messaging);
      const { storeId } = inbox;
      /** The messages of the AI that only say that a person will answer. */
      const handOvers = new Set<string>();
      const leads = [1, 2, 3].map(() => messaging.crm.addLead(storeId));
      const leadOf = (n: number) => leads[n % leads.length] as string;
      /** The outbound message at a place; undefined when the place has none. */
      const find = async (at: Place, which: { inbound: boolean }) => {
        const rows = await messaging.adminSql`
          select id, lead_id, session_id, status, direction from messages
          where store_id = ${storeId} and lead_id = ${leadOf(at.lead)} order by number`;
        const row = rows[at.message % Math.max(rows.length, 1)];
        return row && (which.inbound || row.direction === 'outbound')
          ? {
              id: row.id as string,
              lead_id: row.lead_id as string,
              session_id: row.session_id as string,
              status: row.status as string,
            }
          : undefined;
      };
      const run = async (one: Step) => {
        switch (one.kind) {
          case 'hear':
            return await inbox.hear(leadOf(one.lead));
          case 'say':
            // A refused message changes nothing.
            return await inbox.say(leadOf(one.lead), one.source).catch((error: AppError) => {
              if (one.source !== 'ai' || error.code !== 'ai_paused') throw error;
            });
          case 'hand_over':
            return await inbox.say(leadOf(one.lead), 'ai', { handsOver: true }).then(
              async (id) => {
                handOvers.add(id);
                // It does not cancel itself.
                const [row] = await messaging.adminSql`select status from messages where id = ${id}`;
                expect(row).toEqual({ status: 'queued' });
              },
              (error: AppError) => {
                if (error.code !== 'ai_paused') throw error;
              },
            );
          case 'read': {
            const message = await find(one, { inbound: true });
            return message && (await inbox.read(message.lead_id, message.id));
          }
          case 'close': {
            const message = await find(one, { inbound: true });
            if (!message) return;
            const params = { leadId: message.lead_id, sessionId: message.session_id };
            return await messaging.rpc.call(closeSession, { params }, context(storeId));
          }
          case 'cancel': {
            const message = await find(one, { inbound: false });
            if (message?.status !== 'queued') return;
            const params = { leadId: message.lead_id, messageId: message.id };
            return await messaging.rpc.call(cancelMessage, { params }, context(storeId));
          }
          case 'unknown': {
            const message = await find(one, { inbound: false });
            if (message?.status !== 'queued') return;
            const error = { code: 'x', detail: 'x' };
            return await database.write(context(storeId), async (sql) => {
              await lockMessage(sql, storeId, message);
              await markUnknown(sql, storeId, message.id, error, 60_000);
            });
          }
          case 'status': {
            const message = await find(one, { inbound: false });
            if (!message) return;
            return await database.write(context(storeId), async (sql) => {
              const { message: row } = await lockMessage(sql, storeId, message);
              await applyStatusUpdates(sql, storeId, row, [{ status: one.status, at: new Date() }]);
            });
          }
          case 'merge': {
            const [gone, kept] = leads;
            if (leads.length < 2 || !gone || !kept) return;
            leads.shift();
            messaging.crm.merge(storeId, gone, kept);
            const body = { lead_id: gone, merged_into: kept };
            return await messaging.rpc.call(mergeConversations, { body }, context(storeId));
          }
          case 'fence':
            return await messaging.rpc.call(
              fenceMessages,
              { body: { since: new Date().toISOString() } },
              context(storeId),
            );
        }
      };
      for (const one of steps) await run(one);
      const byLead = (a: { lead_id: string }, b: { lead_id: string }) => (a.lead_id < b.lead_id ? -1 : 1);
      expect((await shown(inbox)).toSorted(byLead)).toEqual((await recount(inbox, handOvers)).toSorted(byLead));
    }),
    { numRuns: 15, examples },
  );
});
