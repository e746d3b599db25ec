import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from '@mostrador/kit/database/database';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Dependencies } from '../dependencies.ts';
import { findOutcome } from '../messages/message.repository.ts';
import { isSettled, type Outcome } from '../messages/message.ts';

/** The time kept for the last read of the row, and for the answer to reach the caller. */
const lookMs = 750;
const wayBackMs = 250;
/** An open shard sends a new message within some milliseconds. A read before that would find it queued. */
const soonMs = 100;

/**
 * Waits for the outcome of an accepted message and returns it. The wait ends without an outcome at `untilMs`
 * (epoch ms), shortly before the caller's deadline, or when the process stops. `isNew`: the message was accepted just now.
 * Returns undefined when the row could not be read.
 */
export async function awaitOutcome(
  { database, outcomes }: Pick<Dependencies, 'database' | 'outcomes'>,
  context: StoreContext,
  options: { id: string; untilMs: (sql: Sql) => Promise<number>; isNew: boolean },
): Promise<Outcome | undefined> {
  const { id, untilMs, isNew } = options;
  const { storeId, closing } = context;
  const scope = { storeId, deadline: context.deadline - wayBackMs };
  const lastMs = scope.deadline - lookMs;
  const enough = new AbortController();
  try {
    // The wait starts before the first read, so that no notification is missed between the two.
    const noticed = outcomes.wait(id, lastMs, AbortSignal.any([closing, enough.signal]));
    if (isNew) await Promise.race([noticed, pause(soonMs, undefined, { signal: enough.signal })]);
    const [message, until] = await database.read(scope, (sql) =>
      Promise.all([findOutcome(sql, storeId, id), untilMs(sql)]),
    );
    const restMs = Math.min(until, lastMs) - Date.now();
    if (message && (isSettled(message.status) || restMs <= 0)) return message;

    const timer = setTimeout(() => enough.abort(), restMs);
    await noticed;
    clearTimeout(timer);
    return await database.read(scope, (sql) => findOutcome(sql, storeId, id));
  } catch (error) {
    context.log.warn({ err: error, message_id: id }, 'the outcome of a message could not be read');
    return undefined;
  } finally {
    enough.abort();
  }
}
