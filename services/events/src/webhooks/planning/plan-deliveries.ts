import type { TransactionSql } from '@mostrador/kit/database/database';
import type { Dependencies } from '../../dependencies.ts';
import { findFeed } from '../../feed/event.repository.ts';
import { lockEndpoint, savePlace } from '../endpoints/endpoint.repository.ts';
import type { EndpointRow } from '../endpoints/endpoint.ts';
import { advanceReplay } from '../replays/advance-replay.ts';
import { afterOpening } from '../sending/after-opening.ts';
import type { NamedEndpoint } from '../sending/due.repository.ts';
import { countUntried, findEventsAfter, openDeliveries } from './plan.repository.ts';

/** Events of the feed that one run looks through. */
const batch = 500;
/** No more deliveries are made while this many wait for their first attempt: the feed keeps the rest. */
const mostUntried = 1_000;
const runLimitMs = 10_000;

/**
 * Makes the deliveries of an endpoint from the feed, by a cursor, so that no event is missed and none comes twice,
 * whenever a process dies. An endpoint that is not enabled costs nothing: its cursor stays. Returns whether there may be
 * more to plan at once.
 */
export async function planDeliveries(
  { database, relay }: Pick<Dependencies, 'database' | 'relay'>,
  { store_id: storeId, id }: NamedEndpoint,
): Promise<boolean> {
  let woken = false;
  const more = await database.write({ storeId, deadline: Date.now() + runLimitMs }, async (sql) => {
    woken = false;
    const endpoint = await lockEndpoint(sql, storeId, id);
    if (endpoint?.status !== 'enabled') return false;
    const planned = await planEvents(sql, endpoint);
    const replayed = await advanceReplay(sql, endpoint);
    if (planned.opened + replayed.opened > 0) {
      await afterOpening(sql, endpoint);
      woken = endpoint.sender === 'workflow';
    }
    return planned.more || replayed.more;
  });
  if (woken) relay.nudge();
  return more;
}

async function planEvents(sql: TransactionSql, endpoint: EndpointRow): Promise<{ opened: number; more: boolean }> {
  const { store_id, planned_through, event_types } = endpoint;
  if ((await countUntried(sql, endpoint, mostUntried)) >= mostUntried) return { opened: 0, more: false };
  // Before the events: of those below the beginning of the feed, none can come any more.
  const { oldest_sequence } = await findFeed(sql, store_id);
  const events = await findEventsAfter(sql, store_id, { after: planned_through, limit: batch });
  const last = events.at(-1);
  if (!last) {
    // After a restore the feed restarts at a higher number.
    if (planned_through < oldest_sequence - 1) await savePlace(sql, endpoint, oldest_sequence - 1);
    return { opened: 0, more: false };
  }
  const wanted = events.filter(({ type }) => event_types === null || event_types.includes(type));
  const opened = await openDeliveries(sql, endpoint, wanted);
  await savePlace(sql, endpoint, last.sequence);
  return { opened, more: events.length === batch };
}
