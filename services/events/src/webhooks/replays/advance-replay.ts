import type { TransactionSql } from '@mostrador/kit/database/database';
import { findEventsAfter } from '../../feed/event.repository.ts';
import type { EndpointRow } from '../endpoints/endpoint.ts';
import { openDeliveries } from '../sending/plan.repository.ts';
import { countWaiting, endReplay, findRunningReplay, findUndelivered, saveReplay } from './replay.repository.ts';
import { mostWaiting, type ReplayRow } from './replay.ts';

/**
 * Opens the next deliveries of the oldest running replay of a locked endpoint, and ends it after the last one. It stays
 * behind `plannedThrough`, because the planner sends every event after that anyway. One run chooses or looks through at
 * most `batch` events.
 */
export async function advanceReplay(
  sql: TransactionSql,
  endpoint: EndpointRow,
  plannedThrough: number,
  batch: number,
): Promise<{ opened: number; more: boolean }> {
  const replay = await findRunningReplay(sql, endpoint);
  if (!replay) return { opened: 0, more: false };
  const waiting = await countWaiting(sql, replay);
  if (replay.looked_through >= replay.to_sequence) {
    if (waiting === 0) await endReplay(sql, replay, 'done');
    return { opened: 0, more: false };
  }
  const until = Math.min(replay.to_sequence, plannedThrough);
  if (waiting >= mostWaiting || replay.looked_through >= until) return { opened: 0, more: false };
  const found = await choose(sql, endpoint, replay, { after: replay.looked_through, until, limit: batch });
  const types = replay.event_types ?? endpoint.event_types;
  const wanted = found.filter(({ type, passes }) => passes && (types === null || types.includes(type)));
  const { length: opened } = await openDeliveries(sql, endpoint, wanted, { replay });
  const lookedThrough = found.length < batch ? until : (found.at(-1)?.sequence ?? until);
  await saveReplay(sql, replay, { lookedThrough, chosen: replay.chosen + opened });
  return { opened, more: lookedThrough < until };
}

const choose = (
  sql: TransactionSql,
  endpoint: EndpointRow,
  replay: ReplayRow,
  span: { readonly after: number; readonly until: number; readonly limit: number },
) => {
  const range = { ...span, changes: endpoint.filters };
  return replay.selection === 'all'
    ? findEventsAfter(sql, endpoint.store_id, range)
    : findUndelivered(sql, endpoint, range);
};
