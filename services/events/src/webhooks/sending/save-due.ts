import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox, wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import { lockEndpoint, saveProgress } from '../endpoints/endpoint.repository.ts';
import type { EndpointRow } from '../endpoints/endpoint.ts';
import { findQueue } from './attempt.repository.ts';
import { dueAt } from './next-move.ts';

/**
 * Writes a locked endpoint, and when the sender looks at it again. Null: when something else changes. Its deliveries have
 * changed, so that there may be room for more.
 */
export async function saveWithDue(sql: TransactionSql, endpoint: EndpointRow): Promise<Date | null> {
  return await saveLooked(sql, { ...endpoint, full_until: null });
}

/** As `saveWithDue`, after a look that changed no delivery. */
export async function saveLooked(sql: TransactionSql, endpoint: EndpointRow): Promise<Date | null> {
  const due_at = dueAt(endpoint, await findQueue(sql, endpoint));
  await saveProgress(sql, { ...endpoint, due_at });
  return due_at;
}

/** As `saveWithDue`, after a request has written the endpoint. */
export async function saveDue(
  sql: TransactionSql,
  { store_id, id }: Pick<EndpointRow, 'store_id' | 'id'>,
): Promise<Date | null> {
  const endpoint = await lockEndpoint(sql, store_id, id);
  return endpoint ? await saveWithDue(sql, endpoint) : null;
}

/**
 * After deliveries of a locked endpoint were opened: saves it with the moment when they are due, and wakes the workflow
 * if it sends and waits for longer. So new events of an endpoint that is blocked cost Temporal nothing. Returns whether it
 * was woken.
 */
export async function afterOpening(sql: TransactionSql, endpoint: EndpointRow): Promise<boolean> {
  const due = await saveWithDue(sql, endpoint);
  const isSooner = due !== null && (endpoint.due_at === null || due < endpoint.due_at);
  if (endpoint.sender !== 'workflow' || !isSooner) return false;
  await appendOutbox(sql, endpoint.store_id, [wakeWorkflow('webhook', endpoint.id, 'planned')]);
  return true;
}
