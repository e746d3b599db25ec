import type { WebhookStatus } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import type { WaitingRows } from '@mostrador/kit/step/waiting';
import type { EndpointRow } from '../endpoints/endpoint.ts';

/** A delivery that the endpoint has not accepted, with what says why. */
export type WaitingDeliveryRow = {
  readonly id: string;
  readonly endpoint_id: string;
  readonly attempts: number;
  readonly error: string | null;
  readonly next_attempt_at: Date;
  readonly lease_until: Date | null;
  readonly since: Date;
  readonly endpoint_status: WebhookStatus;
  readonly sender: EndpointRow['sender'];
  readonly blocked_until: Date | null;
  /** Whether an earlier event of the same resource waits, and the endpoint keeps their order. */
  readonly is_behind: boolean;
  /** The time of the database clock. */
  readonly now: Date;
};

export async function findWaitingDeliveries(
  sql: Sql,
  storeId: string,
  { after, before, ids, limit }: WaitingRows,
): Promise<WaitingDeliveryRow[]> {
  // Each endpoint is read in the order of its index.
  return await sql<WaitingDeliveryRow[]>`
    select d.id, d.endpoint_id, d.attempts, d.error, d.next_attempt_at, d.lease_until, d.created_at as since,
      d.endpoint_status, d.sender, d.blocked_until, statement_timestamp() as now,
      d.ordering = 'entity' and exists (
        select from webhook_deliveries o
        where o.store_id = d.store_id and o.endpoint_id = d.endpoint_id and o.entity_id = d.entity_id
          and o.status = 'pending' and o.sequence < d.sequence) as is_behind
    from (
      select waiting.*, e.status as endpoint_status, e.sender, e.blocked_until, e.ordering
      from webhook_endpoints e
      cross join lateral (
        select * from webhook_deliveries
        where store_id = e.store_id and endpoint_id = e.id and status = 'pending'
          ${after ? sql`and (created_at, id) > (${after.since}, ${after.id})` : sql``}
          ${before ? sql`and created_at < ${before}` : sql``}
          ${ids ? sql`and id = any(${[...ids]}::uuid[])` : sql``}
        order by created_at, id
        limit ${limit}
      ) waiting
      where e.store_id = ${storeId} and e.deleted_at is null
      order by waiting.created_at, waiting.id
      limit ${limit}
    ) d
    order by d.created_at, d.id`;
}

/** Stores with an event that an endpoint has not accepted. */
export const findDeliveryStores = (systemSql: Sql, { after, limit }: { after: string; limit: number }) =>
  systemSql<{ store_id: string }[]>`
    select distinct store_id from webhook_deliveries
    where status = 'pending' and store_id > ${after} order by store_id limit ${limit}`;
