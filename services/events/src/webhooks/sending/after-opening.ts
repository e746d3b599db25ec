import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox, wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import type { EndpointRow } from '../endpoints/endpoint.ts';
import { saveWithDue } from './attempt.repository.ts';

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
