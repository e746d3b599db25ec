import type { TransactionSql } from '@mostrador/kit/database/database';
import type { Dependencies } from '../../dependencies.ts';
import { findEvents, findEventsAfter } from '../../feed/event.repository.ts';
import type { EventRow } from '../../feed/event.ts';
import { type LockedWithFeed, lockWithFeed, saveProgress } from '../endpoints/endpoint.repository.ts';
import type { EndpointRow } from '../endpoints/endpoint.ts';
import type { NamedEndpoint } from '../endpoints/watch.repository.ts';
import { advanceReplay } from '../replays/advance-replay.ts';
import { countUntried, openDeliveries } from './plan.repository.ts';
import { afterOpening } from './save-due.ts';

type PlanLimits = Pick<Dependencies['limits'], 'batch' | 'mostUntried'>;
export const planLimits: PlanLimits = { batch: 500, mostUntried: 1_000 };
const runLimitMs = 10_000;

/** After how long a full endpoint is looked at again, although none of its deliveries has changed. */
const fullMs = 60_000;

type Progress = { readonly opened: number; readonly more: boolean };
const nothing: Progress = { opened: 0, more: false };

/**
 * Makes the deliveries of an endpoint that its workflow sends, and wakes the workflow if one is due before it looks.
 * Returns whether there may be more to plan at once.
 */
export async function planDeliveries(
  { database, relay, limits }: Pick<Dependencies, 'database' | 'relay' | 'limits'>,
  { store_id: storeId, id }: NamedEndpoint,
): Promise<boolean> {
  let woken = false;
  const more = await database.write({ storeId, deadline: Date.now() + runLimitMs }, async (sql) => {
    woken = false;
    const locked = await lockWithFeed(sql, storeId, id);
    if (!locked) return false;
    const planned = await planNext(sql, locked, limits);
    if (planned.opened > 0) woken = await afterOpening(sql, planned.endpoint);
    else await saveProgress(sql, planned.endpoint);
    return planned.more;
  });
  if (woken) relay.nudge();
  return more;
}

/**
 * Makes the next deliveries of a locked endpoint from the feed, by a cursor, so that no event is missed and none comes
 * twice, whenever a process dies. An endpoint that is not enabled costs nothing: its cursor stays. Returns the endpoint
 * with its new place, which is not saved yet. `more`: there may be more to plan at once.
 */
export async function planNext(
  sql: TransactionSql,
  locked: LockedWithFeed,
  limits: PlanLimits,
): Promise<Progress & { readonly endpoint: EndpointRow }> {
  if (locked.status !== 'enabled') return { ...nothing, endpoint: locked };
  const { place, isFull, ...planned } = await planEvents(sql, locked, limits);
  const replayed = locked.replaying ? await advanceReplay(sql, locked, place, limits.batch) : nothing;
  return {
    endpoint: { ...locked, planned_through: place, full_until: isFull ? fullUntil(locked, new Date()) : null },
    opened: planned.opened + replayed.opened,
    more: planned.more || replayed.more,
  };
}

/** A moment that is known is kept, so that nothing is written. */
const fullUntil = ({ full_until: known }: EndpointRow, now: Date): Date =>
  known && known > now ? known : new Date(now.getTime() + fullMs);

/**
 * The new events of an endpoint for which nothing else waits, when all of them may be sent at once, and there are at most
 * `most`. Undefined in any other case.
 */
export async function findOnlyNew(
  sql: TransactionSql,
  locked: LockedWithFeed,
  { most, batch }: { readonly most: number; readonly batch: number },
): Promise<EventRow[] | undefined> {
  const { store_id, planned_through: start, last_sequence: until, event_types, filters: changes } = locked;
  const isHealthy = locked.status === 'enabled' && locked.sender === 'service' && locked.failures === 0;
  // Without a moment to look again nothing waits, and nothing runs.
  const isQuiet = isHealthy && locked.due_at === null && !locked.replaying;
  if (!isQuiet || until <= start || until - start > batch) return undefined;
  const filters = { changes, ...(event_types === null ? {} : { types: event_types }) };
  const events = await findEvents(sql, store_id, { start, until, filters, limit: most + 1 });
  const areOfDifferentEntities = new Set(events.map(({ entity_id }) => entity_id)).size === events.length;
  return events.length <= most && areOfDifferentEntities ? events : undefined;
}

/** `isFull`: the feed has more events than may wait for their first attempt. */
async function planEvents(
  sql: TransactionSql,
  locked: LockedWithFeed,
  { batch, mostUntried }: PlanLimits,
): Promise<Progress & { readonly place: number; readonly isFull?: boolean }> {
  const { store_id, planned_through: place, event_types, filters: changes, due_at } = locked;
  const { oldest_sequence, last_sequence } = locked;
  if (last_sequence <= place) return { ...nothing, place };
  // Without a moment to look again nothing waits.
  const untried = due_at === null ? 0 : await countUntried(sql, locked, mostUntried);
  if (untried >= mostUntried) return { ...nothing, place, isFull: true };
  const events = await findEventsAfter(sql, store_id, { after: place, limit: batch, changes });
  const last = events.at(-1);
  // After a restore the feed restarts at a higher number.
  if (!last) return { ...nothing, place: Math.max(place, oldest_sequence - 1) };
  const wanted = events.filter(({ type, passes }) => passes && (event_types === null || event_types.includes(type)));
  const opened = (await openDeliveries(sql, locked, wanted)).length;
  return { opened, more: events.length === batch, place: last.sequence };
}
