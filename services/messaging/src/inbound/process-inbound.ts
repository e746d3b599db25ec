import { randomUUID } from 'node:crypto';
import { isUniqueViolation } from '@mostrador/kit/database/database';
import { eachOf } from '@mostrador/kit/process/each-of';
import type { Log } from '@mostrador/kit/process/log';
import { AppError } from '@mostrador/kit/rpc/errors';
import { customersOf, type InboundEffect, type InboundMessage, identitiesOf } from '../channels/channel-provider.ts';
import { sendInteractionCounts } from '../conversations/send-interaction-counts.ts';
import { applyReceivedStatus } from '../delivery/apply-received-status.ts';
import type { Dependencies } from '../dependencies.ts';
import { acceptInbound, NoPhone, noPhone } from './accept-inbound.ts';
import { applyEffect } from './apply-effect.ts';
import {
  claimPayloads,
  findHeldCustomers,
  markFailed,
  markProcessed,
  type PayloadRow,
  putBehind,
  putOff,
  readPayloads,
} from './inbound.repository.ts';
import { readPayload } from './read-payload.ts';

export type ProcessingTools = Pick<Dependencies, 'database' | 'systemDatabase' | 'rpc' | 'relay' | 'outcomes'> & {
  readonly log: Log;
};

const mostAttempts = 20;
const batch = 50;
const leaseMs = 30_000;
// Shorter than the lease, so that no other process claims the payloads of a running batch.
const batchLimitMs = 20_000;
const callLimitMs = 5_000;
const conversationsAtOnce = 4;
const statusesAtOnce = 2;

const severity = { unreadable: 0, behind: 1, later: 2, failed: 3 } as const;

/** A piece of work from a payload: a message, a status update, or another effect. */
type Piece<T> = { readonly payload: PayloadRow; readonly content: T };

/**
 * Why a payload is not processed: an earlier one is open, a dependency was missing (`later`), or it failed itself. What
 * is `unreadable` stays so. Its payload fails without a retry, once the rest of it is processed.
 */
type Trouble =
  | { readonly kind: 'behind' | 'later' }
  | { readonly kind: 'failed' | 'unreadable'; readonly code: string };

/**
 * Processes stored payloads until none is due. It accepts the messages of one customer in the order of arrival, even
 * when several processes run. Customers do not wait for each other or for a payload that fails. It awaits `turn` before
 * each batch. Safe to repeat at any time. Returns the number of payloads claimed.
 */
export async function processInbound(
  tools: ProcessingTools,
  signal: AbortSignal,
  turn: () => Promise<void> = async () => {},
): Promise<number> {
  let processed = 0;
  for (;;) {
    await turn();
    if (signal.aborted) return processed;
    const scope = { deadline: Date.now() + callLimitMs };
    const claimed = await tools.systemDatabase.write(scope, (sql) => claimPayloads(sql, { leaseMs, limit: batch }));
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
    if (claimed.length < batch || signal.aborted) return processed;
  }
}

async function processBatch(tools: ProcessingTools, storeId: string, ids: readonly string[]): Promise<void> {
  const { database } = tools;
  const deadline = Date.now() + batchLimitMs;
  const scope = { storeId, deadline };
  const [payloads, held] = await database.read(scope, (sql) =>
    Promise.all([readPayloads(sql, storeId, ids), findHeldCustomers(sql, storeId, ids)]),
  );
  const troubles = new Map<string, Trouble>();
  const note = ({ id }: PayloadRow, trouble: Trouble) => {
    // The most severe reason counts.
    const known = troubles.get(id);
    if (!known || severity[trouble.kind] > severity[known.kind]) troubles.set(id, trouble);
  };
  const heldSince = new Map(held.map((row) => [`${row.channel_id} ${row.customer}`, row.payload_id]));
  const { messages, statuses, effects } = piecesOf(payloads, note);
  const isBehind = ({ payload }: Piece<unknown>, customers: readonly string[]) =>
    customers.some((customer) => {
      const held = heldSince.get(`${payload.channel_id} ${customer}`);
      return held !== undefined && held < payload.id;
    });

  const apply = async ({ payload, content }: Piece<InboundEffect>) => {
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

  const conversations = Map.groupBy(
    messages,
    ({ payload, content }) => `${payload.channel_id} ${identitiesOf(content).at(-1)}`,
  );
  const counts = new Map<string, Counted>();
  await Promise.all([
    eachOf(conversations.values(), conversationsAtOnce, async (pieces) => {
      const counted = await processInOrder(tools, scope, pieces, isBehind, note);
      if (counted) counts.set(counted.lead_id, counted);
    }),
    eachOf(statuses, statusesAtOnce, async ({ payload, content }) => {
      try {
        await applyReceivedStatus(tools, fromChannel(storeId, payload, deadline), payload.channel_id, content);
      } catch (error) {
        note(payload, troubleOf(error));
      }
    }),
    eachOf(
      effects.filter(({ content }) => content.kind !== 'identity'),
      statusesAtOnce,
      apply,
    ),
  ]);
  // The periodic job sends a count that fails here.
  await sendInteractionCounts(tools, storeId, [...counts.values()]).catch(() => {});
  await settle(tools, scope, payloads, troubles);
}

function piecesOf(payloads: readonly PayloadRow[], note: (payload: PayloadRow, trouble: Trouble) => void) {
  const read = payloads.flatMap((payload) => {
    try {
      const notification = readPayload(payload, payload.payload, payload.received_at);
      if (notification.unreadable > 0) note(payload, { kind: 'unreadable', code: 'unreadable_entry' });
      return [{ payload, notification }];
    } catch {
      note(payload, { kind: 'unreadable', code: 'unreadable' });
      return [];
    }
  });
  const pieces = <T>(payload: PayloadRow, contents: readonly T[]) => contents.map((content) => ({ payload, content }));
  return {
    messages: read.flatMap(({ payload, notification }) => pieces(payload, notification.messages)),
    statuses: read.flatMap(({ payload, notification }) => pieces(payload, notification.statuses)),
    effects: read.flatMap(({ payload, notification }) => pieces(payload, notification.effects ?? [])),
  };
}

type Counted = NonNullable<Awaited<ReturnType<typeof acceptInbound>>>;

/**
 * Accepts one customer's messages in order. After a message that must wait, the later ones wait, too. Returns the
 * lead's interactions after the last new message.
 */
async function processInOrder(
  tools: ProcessingTools,
  { storeId, deadline }: { storeId: string; deadline: number },
  pieces: readonly Piece<InboundMessage>[],
  isBehind: (piece: Piece<unknown>, customers: readonly string[]) => boolean,
  note: (payload: PayloadRow, trouble: Trouble) => void,
): Promise<Counted | null> {
  let waits = false;
  let latest: Counted | null = null;
  for (const piece of pieces) {
    const { payload, content } = piece;
    waits ||= isBehind(piece, identitiesOf(content));
    if (waits) {
      note(payload, { kind: 'behind' });
      continue;
    }
    try {
      const context = { ...fromChannel(storeId, payload, deadline), requestId: randomUUID() };
      latest = (await acceptInbound(tools, context, payload.channel_id, content)) ?? latest;
    } catch (error) {
      const trouble = troubleOf(error);
      note(payload, trouble);
      waits = trouble.kind === 'later';
      tools.log.warn({ err: error, store_id: storeId, payload: payload.id }, 'accepting an inbound message failed');
    }
  }
  return latest;
}

/** The scope of a piece of a payload. */
const fromChannel = (storeId: string, { channel_id }: PayloadRow, deadline: number) => ({
  storeId,
  deadline: Math.min(deadline, Date.now() + callLimitMs),
  actor: { kind: 'channel', id: channel_id } as const,
});

const temporary: ReadonlySet<string> = new Set(['service_unavailable', 'upstream_timeout', 'lead_busy']);

function troubleOf(error: unknown): Trouble {
  // Another transaction stored this channel id at the same moment. The retry finds it.
  if (isUniqueViolation(error)) return { kind: 'later' };
  if (error instanceof NoPhone) return { kind: 'failed', code: noPhone };
  if (!(error instanceof AppError)) return { kind: 'failed', code: 'failed' };
  const { code } = error;
  return temporary.has(code) ? { kind: 'later' } : { kind: 'failed', code };
}

async function settle(
  { database, log }: ProcessingTools,
  { storeId }: { storeId: string },
  payloads: readonly PayloadRow[],
  troubles: ReadonlyMap<string, Trouble>,
): Promise<void> {
  const ids = (kind: Trouble['kind'] | undefined) =>
    payloads.map(({ id }) => id).filter((id) => troubles.get(id)?.kind === kind);
  const failed = payloads.flatMap(({ id, attempts }) => {
    const trouble = troubles.get(id);
    if (!trouble || !('code' in trouble)) return [];
    return [{ id, attempts, code: trouble.code, mostAttempts: trouble.kind === 'unreadable' ? 1 : mostAttempts }];
  });
  await database.write({ storeId, deadline: Date.now() + callLimitMs }, async (sql) => {
    await markProcessed(sql, storeId, ids(undefined));
    await putOff(sql, storeId, ids('later'));
    await putBehind(sql, storeId, ids('behind'));
    for (const { id, ...failure } of failed) await markFailed(sql, storeId, id, failure);
  });
  for (const { id, attempts, code } of failed) {
    log.error({ store_id: storeId, payload: id, attempts: attempts + 1, code }, 'processing an inbound payload failed');
  }
}
