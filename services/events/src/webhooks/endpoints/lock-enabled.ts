import type { TransactionSql } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import { lockEndpoint } from './endpoint.repository.ts';
import type { EndpointRow } from './endpoint.ts';

/** Locks an endpoint to which events are sent. @throws AppError when it does not exist or is not enabled */
export async function lockEnabled(sql: TransactionSql, storeId: string, id: string): Promise<EndpointRow> {
  const endpoint = await lockEndpoint(sql, storeId, id);
  if (!endpoint) throw new AppError('webhook_endpoint_not_found');
  assertEnabled(endpoint);
  return endpoint;
}

/** @throws AppError when no events are sent to the endpoint */
export function assertEnabled(endpoint: EndpointRow): void {
  if (endpoint.status !== 'enabled') {
    throw new AppError('webhook_endpoint_not_enabled', { members: { current_status: endpoint.status } });
  }
}
