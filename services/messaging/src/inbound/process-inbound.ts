import { randomUUID } from 'node:crypto';
import { eachOf } from '@mostrador/kit/process/each-of';
import type { Log } from '@mostrador/kit/process/log';
import {
  customersOf,
  type InboundMessage,
  identitiesOf,
  type ReceivedStatusUpdate,
} from '../channels/channel-provider.ts';
import { applyReceivedStatus } from '../delivery/apply-received-status.ts';
import type { Dependencies } from '../dependencies.ts';
import { acceptInbound } from './accept-inbound.ts';
import { acceptMany } from './accept-many.ts';
import { acceptStatuses } from './accept-statuses.ts';
import { applyEffect } from './apply-effect.ts';
import { claimPayloads, findHeldCustomers, type Lane, type PayloadRow, readPayloads } from './inbound.repository.ts';
import { knowCustomer } from './know-customer.ts';
import { type Contact, contactsAtOnce, nameContacts } from './name-contacts.ts';
import { byCustomer, type Piece, piecesOf, slicesOf } from './pieces.ts';
import { noteTroubles, settlePayloads, type Trouble, troubleOf } from './settle-payloads.ts';

export type ProcessingTools = Pick<
  Dependencies,
  'database' | 'systemDatabase' | 'rpc' | 'relay' | 'outcomes' | 'rateCard'
> & {
  readonly log: Log;
};

/** The most payloads of a batch. One of the past has the conversations of many customers. */
const batches: Readonly<Record<Lane, number>> = { live: 100, history: 10 };
const leaseMs = 30_000;
// Shorter than the lease, so that no other process claims the payloads of a running batch.
const batchLimitMs = 20_000;
const callLimitMs = 5_000;
const conversationsAtOnce = 4;
const statusesAtOnce = 2;

/**
 * Processes stored payloads of a lane until none is due. It accepts the messages of one customer in the order of arrival,
 * even when several processes run. Customers do not wait for each other or for a payload that fails. It awaits `turn` before
 * each batch. Safe to repeat at any time. Returns the number of payloads claimed.
 */
export async function processInbound(
  tools: ProcessingTools,
  signal: AbortSignal,
  turn: () => Promise<void> = async () => {},
  lane: Lane = 'live',
): Promise<number> {
  const limit = batches[lane];
  let processed = 0;
  for (;;) {
    await turn();
    if (signal.aborted) return processed;
    const scope = { deadline: Date.now() + callLimitMs };
    const claimed = await tools.systemDatabase.execute(scope, (sql) => claimPayloads(sql, { lane, leaseMs, limit }));
    const stores = Map.groupBy(claimed, (row) => row.store_id);
    await Promise.all(
      [...stores].map(([storeId, rows]) =>
        processBatch(
          tools,
          storeId,
          rows.map(({ id }) => id),
        ),
      ),
    );
    processed += claimed.length;
    if (claimed.length < limit || signal.aborted) return processed;
  }
}

async function processBatch(tools: ProcessingTools, storeId: string, ids: readonly string[]): Promise<void> {
  const { database } = tools;
  const deadline = Date.now() + batchLimitMs;
  const scope = { storeId, deadline };
  const [payloads, held] = await database.read(scope, (sql) =>
    Promise.all([readPayloads(sql, storeId, ids), findHeldCustomers(sql, storeId, ids)]),
  );
  const { troubles, note } = noteTroubles();
  const heldSince = new Map(held.map((row) => [`${row.channel_id} ${row.customer}`, row.payload_id]));
  const { messages, statuses, effects, contacts } = piecesOf(payloads, note);
  const isBehind = ({ payload }: Piece<unknown>, customers: readonly string[]) =>
    customers.some((customer) => {
      const held = heldSince.get(`${payload.channel_id} ${customer}`);
      return held !== undefined && held < payload.id;
    });

  const apply = async ({ payload, content }: (typeof effects)[number]) => {
    try {
      const context = { ...fromChannel(storeId, payload, deadline), requestId: randomUUID() };
      await applyEffect(tools, context, payload.channel_id, content);
    } catch (error) {
      note(payload, troubleOf(error));
      tools.log.warn({ err: error, store_id: storeId, payload: payload.id }, 'applying an inbound entry failed');
    }
  };
  // Who a customer is comes first, in order. Until it is known, the messages of that customer wait.
  for (const piece of effects.filter(({ content }) => content.kind === 'identity')) {
    const customers = customersOf({ effects: [piece.content] });
    if (isBehind(piece, customers)) note(piece.payload, { kind: 'behind' });
    else await apply(piece);
    if (!troubles.has(piece.payload.id)) continue;
    // Below every id of a payload: the messages of this very payload wait, too.
    for (const customer of customers) heldSince.set(`${piece.payload.channel_id} ${customer}`, '');
  }

  const left = new Set(byCustomer(messages));
  const processed = new Set<string>();
  const withOthers = [...statuses, ...effects, ...contacts];
  /** The payloads of which nothing is left to do. */
  const completeWithout = (some: Iterable<readonly Piece<unknown>[]>): string[] => {
    const open = new Set([...withOthers, ...[...some].flat()].map(({ payload }) => payload.id));
    return payloads.map(({ id }) => id).filter((id) => !open.has(id) && !troubles.has(id) && !processed.has(id));
  };
  const isDue = (piece: Piece<InboundMessage>) =>
    piece.payload.attempts === 0 && !isBehind(piece, identitiesOf(piece.content));
  for (const channelId of new Set(messages.map(({ payload }) => payload.channel_id))) {
    const customers = [...left].filter((pieces) => pieces.every(({ payload }) => payload.channel_id === channelId));
    let complete: string[] = [];
    try {
      const scope = fromChannel(storeId, { channel_id: channelId }, deadline);
      const taken = await acceptMany(tools, scope, channelId, {
        customers,
        isDue,
        completeWith: (some) => {
          complete = completeWithout([...left].filter((pieces) => !some.has(pieces)));
          return complete;
        },
      });
      for (const pieces of taken) left.delete(pieces);
      for (const id of complete) processed.add(id);
    } catch (error) {
      // What fails fails alone, below.
      tools.log.warn({ err: error, store_id: storeId }, 'accepting inbound messages together failed');
    }
  }
  await Promise.all([
    eachOf(left, conversationsAtOnce, (pieces) => processInOrder(tools, scope, pieces, isBehind, note)),
    applyStatuses(tools, { storeId, deadline }, statuses, note),
    eachOf(
      effects.filter(({ content }) => content.kind !== 'identity'),
      statusesAtOnce,
      apply,
    ),
    eachOf(slicesOf(contacts, contactsAtOnce), 1, (slice) => nameSlice(tools, { storeId, deadline }, slice, note)),
  ]);
  await settlePayloads(
    tools,
    storeId,
    payloads.filter(({ id }) => !processed.has(id)),
    troubles,
  );
}

/** Applies status updates together where they allow it, and the others one by one. */
async function applyStatuses(
  tools: ProcessingTools,
  { storeId, deadline }: { storeId: string; deadline: number },
  statuses: readonly Piece<ReceivedStatusUpdate>[],
  note: (payload: PayloadRow, trouble: Trouble) => void,
): Promise<void> {
  const takeOf = async (channelId: string, pieces: readonly Piece<ReceivedStatusUpdate>[]) => {
    const updates = pieces.map(({ content }) => content);
    try {
      return await acceptStatuses(tools, fromChannel(storeId, { channel_id: channelId }, deadline), channelId, updates);
    } catch (error) {
      // What fails fails alone, below.
      tools.log.warn({ err: error, store_id: storeId }, 'applying status updates together failed');
      return new Set<ReceivedStatusUpdate>();
    }
  };
  const ofChannels = [...Map.groupBy(statuses, ({ payload }) => payload.channel_id)];
  const taken = await Promise.all(ofChannels.map(([channelId, pieces]) => takeOf(channelId, pieces)));
  const alone = statuses.filter(({ content }) => !taken.some((some) => some.has(content)));
  await eachOf(alone, statusesAtOnce, async ({ payload, content }) => {
    try {
      const context = { ...fromChannel(storeId, payload, deadline), requestId: randomUUID() };
      const { customer, at } = content;
      if (customer) await knowCustomer(tools, context, payload.channel_id, customer, at);
      await applyReceivedStatus(tools, context, payload.channel_id, content);
    } catch (error) {
      note(payload, troubleOf(error));
    }
  });
}

/** Names the leads of contacts of one channel. */
async function nameSlice(
  tools: ProcessingTools,
  { storeId, deadline }: { storeId: string; deadline: number },
  slice: readonly Piece<Contact>[],
  note: (payload: PayloadRow, trouble: Trouble) => void,
): Promise<void> {
  try {
    const channel = { channel_id: slice[0]?.payload.channel_id as string };
    const context = { ...fromChannel(storeId, channel, deadline), requestId: randomUUID() };
    const contacts = slice.map(({ content }) => content);
    await nameContacts(tools, context, contacts);
  } catch (error) {
    for (const { payload } of slice) note(payload, troubleOf(error));
    tools.log.warn({ err: error, store_id: storeId }, 'naming leads failed');
  }
}

/** Accepts one customer's messages in order. After a message that must wait, the later ones wait, too. */
async function processInOrder(
  tools: ProcessingTools,
  { storeId, deadline }: { storeId: string; deadline: number },
  pieces: readonly Piece<InboundMessage>[],
  isBehind: (piece: Piece<unknown>, customers: readonly string[]) => boolean,
  note: (payload: PayloadRow, trouble: Trouble) => void,
): Promise<void> {
  let waits = false;
  for (const piece of pieces) {
    const { payload, content } = piece;
    waits ||= isBehind(piece, identitiesOf(content));
    if (waits) {
      note(payload, { kind: 'behind' });
      continue;
    }
    try {
      const context = { ...fromChannel(storeId, payload, deadline), requestId: randomUUID() };
      await acceptInbound(tools, context, payload.channel_id, content);
    } catch (error) {
      const trouble = troubleOf(error);
      note(payload, trouble);
      waits = trouble.kind === 'later';
      tools.log.warn({ err: error, store_id: storeId, payload: payload.id }, 'accepting an inbound message failed');
    }
  }
}

/** The scope of a piece of a payload. */
const fromChannel = (storeId: string, { channel_id }: Pick<PayloadRow, 'channel_id'>, deadline: number) => ({
  storeId,
  deadline: Math.min(deadline, Date.now() + callLimitMs),
  actor: { kind: 'channel', id: channel_id } as const,
});
