import type { TransactionSql } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import { lockSellers } from '../sellers/seller.repository.ts';
import type { AgentContent } from './agent.ts';
import { sellersOf } from './conditions.ts';

/** Refuses conditions that name a seller whom the store does not have: they would never hold. */
export async function requireSellers(
  sql: TransactionSql,
  storeId: string,
  { condition_groups }: AgentContent,
): Promise<void> {
  const ids = sellersOf(condition_groups);
  if (ids.length === 0) return;
  const found = new Set((await lockSellers(sql, storeId, ids)).map(({ id }) => id));
  if (ids.some((id) => !found.has(id))) throw new AppError('seller_not_found');
}
