import type { Event, NextStep } from '@mostrador/contracts';
import { webhookTestType } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { done, waitUntil } from '@mostrador/kit/step/step';
import type { Dependencies } from '../../dependencies.ts';
import { type EventRow, toEvent } from '../../feed/event.ts';
import type { EndpointRow } from '../endpoints/endpoint.ts';
import { type LockedWithFeed, lockWithFeed, openDeliveries } from '../planning/plan.repository.ts';
import { findOnlyNew, planNext } from '../planning/plan-deliveries.ts';
import {
  type Attempt,
  type ClaimedRow,
  claimDeliveries,
  findLoad,
  findQueue,
  hasRetries,
  recordGivenUp,
  saveProgress,
  saveWithDue,
} from './attempt.repository.ts';
import { dueAt, nextMove } from './next-move.ts';

/** A claimed delivery, and all that its attempt needs. */
export type Claimed = {
  readonly attempt: Attempt;
  readonly endpoint: EndpointRow;
  readonly eventId: string;
  readonly body: string;
};

/** The claimed deliveries, and when to look again once none of them runs. `more`: the feed has more to plan at once. */
export type Taken = { readonly claimed: readonly Claimed[]; readonly more: boolean; readonly next: NextStep };
const nothing = { claimed: [], more: false };

/** Who asks. The service claims nothing of an endpoint that its workflow drains, and the other way round. */
export type Sender = EndpointRow['sender'];

type Asked = {
  readonly storeId: string;
  readonly endpointId: string;
  readonly sender: Sender;
  /** How many deliveries may begin. */
  readonly most: number;
};

const claimLimitMs = 5_000;

/**
 * Claims deliveries in a transaction of its own: every lease is committed before its call, and no call runs inside a
 * transaction. A process that dies leaves leases that expire, and these deliveries are sent again with the same
 * `webhook-id`.
 */
export const claim = ({ database, limits }: Dependencies, asked: Asked): Promise<Taken> =>
  database.write({ storeId: asked.storeId, deadline: Date.now() + claimLimitMs }, (sql) =>
    claimNext(sql, asked, limits.leaseMs),
  );

/**
 * Makes the deliveries of new events, and claims those due deliveries of an endpoint that may begin now. When everything
 * due is claimed and nothing that failed is left, the workflow hands the endpoint back to the service and ends.
 */
async function claimNext(
  sql: TransactionSql,
  { storeId, endpointId, sender, most }: Asked,
  leaseMs: number,
): Promise<Taken> {
  const locked = await lockWithFeed(sql, storeId, endpointId);
  if (!locked) return { ...nothing, next: done('the endpoint does not exist') };
  if (locked.sender !== sender) return { ...nothing, next: done(`the ${locked.sender} sends for this endpoint`) };
  const onlyNew = await findOnlyNew(sql, locked, most);
  if (onlyNew) return await beginAtOnce(sql, locked, onlyNew, leaseMs);
  const { endpoint, more } = await planNext(sql, locked);
  const move = nextMove(endpoint, await findLoad(sql, endpoint));
  if (move.kind === 'answer') {
    await saveWithDue(sql, endpoint);
    return { claimed: [], more, next: move.next };
  }

  const slots = Math.min(move.slots, most);
  const rows = await claimDeliveries(sql, endpoint, slots, leaseMs);
  const claimed: Claimed[] = [];
  for (const row of rows) {
    const event = eventOf(endpoint, row);
    if (event) claimed.push(toClaimed(endpoint, row, event));
    // It was open for longer than the feed keeps events.
    else await recordGivenUp(sql, { storeId, deliveryId: row.id }, 'event_expired');
  }
  const due_at = dueAt(endpoint, await findQueue(sql, endpoint));
  const isHandedBack =
    sender === 'workflow' && (due_at === null || (await isHealthy(sql, endpoint, rows.length < slots)));
  await saveProgress(sql, { ...endpoint, due_at, sender: isHandedBack ? 'service' : sender });
  if (isHandedBack) return { claimed, more, next: done('nothing that failed is left') };
  return { claimed, more, next: due_at ? waitUntil(due_at, 'the next delivery is due then') : done('nothing waits') };
}

/**
 * Opens and claims deliveries in one statement, for an endpoint for which nothing else waits. This is the usual case, and
 * takes half of the statements of planning and claiming.
 */
async function beginAtOnce(
  sql: TransactionSql,
  locked: LockedWithFeed,
  events: readonly EventRow[],
  leaseMs: number,
): Promise<Taken> {
  const opened = await openDeliveries(sql, locked, events, { leaseMs });
  const claimed = events.flatMap((event) => {
    const row = opened.find(({ sequence }) => sequence === event.sequence);
    return row ? [toClaimed(locked, { ...row, lease_token: row.lease_token as string }, shown(locked, event))] : [];
  });
  const isAll = opened.length === events.length;
  const due_at = isAll ? (opened[0]?.lease_until ?? null) : dueAt(locked, await findQueue(sql, locked));
  await saveProgress(sql, { ...locked, planned_through: locked.last_sequence, due_at });
  return { claimed, more: false, next: due_at ? waitUntil(due_at, 'deliveries run') : done('nothing waits') };
}

/** Whether nothing that failed is left of an endpoint. `allClaimed`: nothing else is due. */
const isHealthy = async (sql: TransactionSql, endpoint: EndpointRow, allClaimed: boolean): Promise<boolean> =>
  endpoint.failures === 0 && allClaimed && !(await hasRetries(sql, endpoint));

function toClaimed(endpoint: EndpointRow, row: Omit<ClaimedRow, 'event'>, event: Event): Claimed {
  return {
    attempt: {
      storeId: endpoint.store_id,
      endpointId: endpoint.id,
      deliveryId: row.id,
      leaseToken: row.lease_token,
      number: row.attempts,
    },
    endpoint,
    eventId: row.event_id,
    body: JSON.stringify(event),
  };
}

/** The event as this endpoint gets it. Undefined when the feed no longer has it. */
function eventOf(endpoint: EndpointRow, { event, ...row }: ClaimedRow): Event | undefined {
  if (row.sequence === null) return testEvent(endpoint, row);
  return event ? shown(endpoint, event) : undefined;
}

function shown({ payload }: EndpointRow, row: EventRow): Event {
  const event = toEvent(row);
  if (payload === 'object') return event;
  const { object: _object, ...ids } = event.data;
  return { ...event, data: ids };
}

const testEvent = (endpoint: EndpointRow, row: Omit<ClaimedRow, 'event'>): Event => ({
  id: row.event_id,
  type: webhookTestType,
  created_at: toTimestamp(row.occurred_at),
  sequence: 0,
  store_id: endpoint.store_id,
  entity: { type: 'webhook_endpoint', id: endpoint.id, version: endpoint.version },
  data: { endpoint_id: endpoint.id },
});
