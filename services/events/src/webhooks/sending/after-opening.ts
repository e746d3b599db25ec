import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/delivery/outbox';
import type { EndpointRow } from '../endpoints/endpoint.ts';
import { saveDue } from './attempt.repository.ts';
import { wakeEndpoint } from './wake-endpoint.ts';

/** After deliveries of a locked endpoint were opened: says when they are due, and wakes the workflow if that sends. */
export async function afterOpening(sql: TransactionSql, endpoint: EndpointRow): Promise<void> {
  await saveDue(sql, endpoint);
  if (endpoint.sender === 'workflow') {
    await appendOutbox(sql, endpoint.store_id, [wakeEndpoint(endpoint.id, 'planned')]);
  }
}
