import type { Event, NextStep } from '@mostrador/contracts';
import { webhookTestType } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { answer, type Claim, type ClaimNext, type RowKey } from '@mostrador/kit/step/retry-engine';
import { done, waitUntil } from '@mostrador/kit/step/step';
import type { Dependencies } from '../../dependencies.ts';
import { type EventRow, toEvent, withoutContent } from '../../feed/event.ts';
import { type LockedWithFeed, lockWithFeed, saveProgress } from '../endpoints/endpoint.repository.ts';
import type { EndpointRow } from '../endpoints/endpoint.ts';
import {
  type ClaimedRow,
  claim,
  type DeliveryAttempt,
  findLoad,
  findQueue,
  hasRetries,
  recordGivenUp,
} from './attempt.repository.ts';
import { hostOf } from './host-places.ts';
import { dueAt, nextMove } from './next-move.ts';
import { openDeliveries } from './plan.repository.ts';
import { findOnlyNew, planNext } from './plan-deliveries.ts';
import { saveLooked } from './save-due.ts';

/** A claimed delivery, and all that its attempt needs. */
export type Claimed = {
  readonly attempt: DeliveryAttempt;
  readonly endpoint: EndpointRow;
  readonly eventId: string;
  readonly body: string;
};

/** With the time to look again once no claimed delivery runs. `more`: the feed has more to plan at once. */
export type Taken = Claim<readonly Claimed[]> & {
  readonly more: boolean;
  readonly next: NextStep;
  /** The host at which the store has its places, so that nothing was planned or claimed. */
  readonly crowdedHost?: string;
};

/** Who asks. The service claims nothing of an endpoint that its workflow drains, and the other way round. */
export type Sender = EndpointRow['sender'];

type ClaimOptions = {
  readonly sender: Sender;
  /** How many deliveries may begin. */
  readonly most: number;
  readonly limits: Dependencies['limits'];
  /** Takes up to `wanted` places at a host. Returns how many it got. */
  readonly placesAt: (host: string, wanted: number) => number;
};

const claimLimitMs = 5_000;

/** When an endpoint asks again whose host has no place for it. */
const crowdedMs = 2_000;

/**
 * Claims deliveries in a transaction of its own: every lease is committed before its call, and no call runs inside a
 * transaction. A process that dies leaves leases that expire, and these deliveries are sent again with the same
 * `webhook-id`. Each has a place at its host, which its attempt gives back.
 */
export async function claimDue(
  { database, hostPlaces, limits }: Dependencies,
  endpoint: RowKey,
  { sender, most }: Pick<ClaimOptions, 'sender' | 'most'>,
): Promise<Taken> {
  const { storeId } = endpoint;
  const held = { host: '', places: 0 };
  const release = () => {
    hostPlaces.give(held.host, storeId, held.places);
    held.places = 0;
  };
  const placesAt = (host: string, wanted: number) => {
    // A transaction may run again.
    release();
    Object.assign(held, { host, places: hostPlaces.take(host, storeId, wanted) });
    return held.places;
  };
  try {
    const taken = await database.write({ storeId, deadline: Date.now() + claimLimitMs }, (sql) =>
      claimNext(sql, endpoint, { sender, most, limits, placesAt }),
    );
    if (taken.kind === 'claimed') held.places -= taken.claimed.length;
    return taken;
  } finally {
    release();
  }
}

/**
 * Makes the deliveries of new events, and claims those due deliveries of an endpoint that may begin now. When everything
 * due is claimed and nothing that failed is left, the workflow hands the endpoint back to the service and ends.
 */
const claimNext: ClaimNext<Taken, ClaimOptions> = async (sql, { storeId, id }, options) => {
  const { sender, limits, placesAt } = options;
  const { leaseMs, batch } = limits;
  const locked = await lockWithFeed(sql, storeId, id);
  if (!locked) return { ...answer(done('the endpoint does not exist')), more: false };
  if (locked.sender !== sender) {
    return { ...answer(done(`the ${locked.sender} sends for this endpoint`)), more: false };
  }
  const host = hostOf(locked.url);
  const wanted = Math.min(options.most, locked.max_in_flight);
  const most = locked.status === 'enabled' ? placesAt(host, wanted) : wanted;
  if (most === 0) {
    const next = waitUntil(new Date(Date.now() + crowdedMs), 'the requests that may run at its host are running');
    return { ...answer(next), more: false, crowdedHost: host };
  }
  const onlyNew = await findOnlyNew(sql, locked, { most, batch });
  if (onlyNew) return await beginAtOnce(sql, locked, onlyNew, leaseMs);
  const { endpoint, more } = await planNext(sql, locked, limits);
  const move = nextMove({ endpoint, ...(await findLoad(sql, endpoint)) });
  if (move.kind === 'answer') {
    await saveLooked(sql, endpoint);
    return { ...move, more };
  }

  const slots = Math.min(move.slots, most);
  const rows = await claim(sql, endpoint, leaseMs, slots);
  const claimed: Claimed[] = [];
  for (const row of rows) {
    const event = eventOf(endpoint, row);
    if (event) claimed.push(toClaimed(endpoint, row, event));
    // It was open for longer than the feed keeps events.
    else await recordGivenUp(sql, { storeId, id: row.id }, 'event_expired');
  }
  const due_at = dueAt(endpoint, await findQueue(sql, endpoint));
  const isHandedBack =
    sender === 'workflow' && (due_at === null || (await isHealthy(sql, endpoint, rows.length < slots)));
  const full_until = rows.length > 0 ? null : endpoint.full_until;
  await saveProgress(sql, { ...endpoint, due_at, full_until, sender: isHandedBack ? 'service' : sender });
  const next = due_at ? waitUntil(due_at, 'the next delivery is due then') : done('nothing waits');
  return { kind: 'claimed', claimed, more, next: isHandedBack ? done('nothing that failed is left') : next };
};

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
  await saveProgress(sql, { ...locked, planned_through: locked.last_sequence, due_at, full_until: null });
  const next = due_at ? waitUntil(due_at, 'deliveries run') : done('nothing waits');
  return { kind: 'claimed', claimed, more: false, next };
}

/** Whether nothing that failed is left of an endpoint. `allClaimed`: nothing else is due. */
const isHealthy = async (sql: TransactionSql, endpoint: EndpointRow, allClaimed: boolean): Promise<boolean> =>
  endpoint.failures === 0 && allClaimed && !(await hasRetries(sql, endpoint));

function toClaimed(endpoint: EndpointRow, row: Omit<ClaimedRow, 'event'>, event: Event): Claimed {
  return {
    attempt: {
      storeId: endpoint.store_id,
      endpointId: endpoint.id,
      id: row.id,
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
  return payload === 'object' ? event : withoutContent(event);
}

const testEvent = (endpoint: EndpointRow, row: Omit<ClaimedRow, 'event'>): Event => ({
  id: row.event_id,
  type: webhookTestType,
  created_at: toTimestamp(row.occurred_at),
  sequence: 0,
  store_id: endpoint.store_id,
  entity: { type: 'webhook_endpoint', id: endpoint.id, version: endpoint.version, etag: null },
  actor: null,
  request_id: null,
  previous: null,
  data: { endpoint_id: endpoint.id },
});
