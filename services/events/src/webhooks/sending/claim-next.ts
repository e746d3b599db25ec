import type { Event, NextStep } from '@mostrador/contracts';
import { webhookTestType } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { done, waitUntil } from '@mostrador/kit/delivery/step';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { toEvent } from '../../feed/event.ts';
import { lockEndpoint, saveSender } from '../endpoints/endpoint.repository.ts';
import type { EndpointRow } from '../endpoints/endpoint.ts';
import {
  type Attempt,
  type ClaimedRow,
  claimDeliveries,
  findLoad,
  hasRetries,
  recordGivenUp,
  saveDue,
} from './attempt.repository.ts';
import { nextMove } from './next-move.ts';

/** A claimed delivery, and all that its attempt needs. */
export type Claimed = {
  readonly attempt: Attempt;
  readonly endpoint: EndpointRow;
  readonly eventId: string;
  readonly body: string;
};

/** The claimed deliveries, and when to look again once none of them runs. */
export type Taken = { readonly claimed: readonly Claimed[]; readonly next: NextStep };

/** Who asks. The service claims nothing of an endpoint that its workflow drains, and the other way round. */
export type Sender = EndpointRow['sender'];

/**
 * Claims the due deliveries of an endpoint that may begin now. When everything due is claimed and nothing that failed is
 * left, the workflow hands the endpoint back to the service and ends.
 */
export async function claimNext(
  sql: TransactionSql,
  { storeId, endpointId, sender }: { storeId: string; endpointId: string; sender: Sender },
  leaseMs: number,
): Promise<Taken> {
  const endpoint = await lockEndpoint(sql, storeId, endpointId);
  if (!endpoint) return { claimed: [], next: done('the endpoint does not exist') };
  if (endpoint.sender !== sender) {
    return { claimed: [], next: done(`the ${endpoint.sender} sends for this endpoint`) };
  }
  const move = nextMove(endpoint, await findLoad(sql, endpoint));
  if (move.kind === 'answer') {
    await saveDue(sql, endpoint);
    return { claimed: [], next: move.next };
  }

  const rows = await claimDeliveries(sql, endpoint, move.slots, leaseMs);
  const claimed: Claimed[] = [];
  for (const row of rows) {
    const event = eventOf(endpoint, row);
    if (event) claimed.push(toClaimed(endpoint, row, event));
    // It was open for longer than the feed keeps events.
    else await recordGivenUp(sql, { storeId, deliveryId: row.id }, 'event_expired');
  }
  const dueAt = await saveDue(sql, endpoint);
  const isWell = endpoint.failures === 0 && rows.length < move.slots && !(await hasRetries(sql, endpoint));
  if (sender === 'workflow' && (isWell || dueAt === null)) {
    await saveSender(sql, endpoint, 'service');
    return { claimed, next: done('nothing that failed is left') };
  }
  return { claimed, next: dueAt ? waitUntil(dueAt, 'the next delivery is due then') : done('nothing waits') };
}

function toClaimed(endpoint: EndpointRow, row: ClaimedRow, event: Event): Claimed {
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
  if (!event) return undefined;
  const shown = toEvent(event);
  if (endpoint.payload === 'object') return shown;
  const { object: _object, ...ids } = shown.data;
  return { ...shown, data: ids };
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
