import { randomUUID } from 'node:crypto';
import { appendEvents, type FeedEntry, maxAppendedEvents } from '@mostrador/contracts/feed';
import { ErrorCode, NatsError } from 'nats';
import type { Log } from '../process/log.ts';
import { createWakeablePause } from '../process/wakeable-pause.ts';
import type { RpcClient } from '../rpc/client.ts';
import { AppError } from '../rpc/errors.ts';
import type { FeedRepository, FeedRow } from './feed.repository.ts';
import type { OutboxDelivery } from './outbox-delivery.ts';

export type FeedDeliveryOptions = {
  readonly repository: FeedRepository;
  readonly rpc: Pick<RpcClient, 'call'>;
  readonly log: Log;
  /** How long the delivery waits for a nudge before it looks for entries. */
  readonly sweepIntervalMs: number;
};

/** A request has at most this much data, well below what NATS takes in one message. */
const mostBytes = 512 * 1024;
const requestLimitMs = 5000;
/** Under load a pause collects a batch: each request has a transaction here, one at the feed, and a notice to all readers. */
const batchingPauseMs = 50;
const longestWaitMs = 5000;

/**
 * Sends feed entries to the events service, in the order of their positions, and deletes them after its reply. It always
 * sends the oldest entries, and one request at a time. So the feed has the events of an entity in order, even when
 * several relays send the same entries: the feed knows a repeated entry by its id. No row is claimed or locked.
 *
 * While the service cannot be reached, all entries wait. An entry that it refuses is set aside, and the others go on.
 */
export function createFeedDelivery({ repository, rpc, log, sweepIntervalMs }: FeedDeliveryOptions): OutboxDelivery {
  /** How many of the oldest entries have the refused one among them; 0 when none is known. */
  let suspects = 0;
  let failures = 0;
  let readable = true;
  let nudged = false;
  let stopped = false;
  /** Whether a nudge ends the wait. While the service cannot be reached, and while a batch collects, it does not. */
  let heedsNudges = false;
  const pause = createWakeablePause();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (!stopped) {
      nudged = false;
      const more = await pass().then(
        (moreIsWaiting) => {
          readable = true;
          return moreIsWaiting;
        },
        (error) => {
          if (readable) log.warn({ err: error }, 'the feed entries cannot be read or written');
          readable = false;
          return false;
        },
      );
      if (stopped) return;
      const isHealthy = readable && failures === 0;
      const isBusy = isHealthy && (more || nudged);
      heedsNudges = failures === 0 && !isBusy;
      await pause.for(isBusy ? batchingPauseMs : waitMs());
    }
  }

  /** Sends the oldest entries. True when others wait. */
  async function pass(): Promise<boolean> {
    const limit = suspects > 0 ? Math.ceil(suspects / 2) : maxAppendedEvents;
    const { rows, more } = await repository.readOldest(limit, mostBytes);
    const [first] = rows;
    if (!first || stopped) {
      suspects = 0;
      return false;
    }
    try {
      await send(rows);
    } catch (error) {
      return await onFailure(error, rows, first);
    }
    if (failures > 0) log.info('the feed is delivered again');
    failures = 0;
    await repository.remove(rows);
    suspects = Math.max(0, suspects - rows.length);
    return more || suspects > 0;
  }

  async function send(rows: readonly FeedRow[]): Promise<void> {
    const context = { requestId: randomUUID(), deadline: Date.now() + requestLimitMs };
    const append = (entries: FeedEntry[]) => rpc.call(appendEvents, { body: { entries } }, context);
    const reply = await append(rows.map(toEntry)).catch((error) => {
      // Perhaps an events service of the previous version, which does not know all members.
      if (refusalOf(error) === undefined) throw error;
      return append(rows.map(toPlainEntry));
    });
    // A stream of JetStream that an operator made for all of `events.>` takes the request, and acknowledges it itself.
    if (typeof reply.appended !== 'number') throw new Error('the answer is not one of the events service');
  }

  /** A refused batch is halved until the refused entry is alone. Any other failure is one of the service or the way. */
  async function onFailure(error: unknown, rows: readonly FeedRow[], first: FeedRow): Promise<boolean> {
    const refusal = refusalOf(error);
    if (refusal === undefined) {
      if (failures === 0) log.warn({ err: error }, 'the events service does not take the feed entries');
      failures += 1;
      return false;
    }
    failures = 0;
    if (rows.length > 1) {
      suspects = rows.length;
      return true;
    }
    await repository.setAside(first, refusal);
    suspects = 0;
    const { id, store_id, type } = first;
    log.error(
      { event_id: id, store_id, type, error: refusal },
      'a feed entry is set aside: the events service refused it',
    );
    return true;
  }

  const waitMs = (): number => {
    const ms = failures === 0 ? sweepIntervalMs : Math.min(longestWaitMs, 250 * 2 ** Math.min(failures, 10));
    return ms * (0.9 + Math.random() * 0.2);
  };

  return {
    start() {
      running ??= run();
    },
    nudge() {
      nudged = true;
      if (heedsNudges) pause.wake();
    },
    async stop() {
      stopped = true;
      pause.wake();
      await running;
    },
  };
}

/** The entry as it travels. */
function toEntry(row: FeedRow): FeedEntry {
  const { etag, actor, request_id, previous } = row;
  const plain = toPlainEntry(row);
  return { ...plain, entity: { ...plain.entity, etag }, actor, request_id, previous };
}

/** The entry as every version takes it. Its position is the version: it rises with each event of an entity. */
const toPlainEntry = ({
  id,
  store_id,
  type,
  entity_type,
  entity_id,
  position,
  data,
  created_at,
}: FeedRow): FeedEntry => ({
  id,
  store_id,
  type,
  entity: { type: entity_type, id: entity_id, version: position },
  created_at: created_at.toISOString(),
  data,
});

/** Why the request can never succeed as it is; undefined when it may succeed later. */
function refusalOf(error: unknown): string | undefined {
  // The client reports an internal request that is not valid as our own fault.
  const cause = error instanceof AppError ? error.cause : undefined;
  if (cause instanceof AppError && cause.code === 'validation_failed') return cause.message.slice(0, 300);
  if (cause instanceof NatsError && cause.code === ErrorCode.MaxPayloadExceeded) return cause.message;
  return undefined;
}
