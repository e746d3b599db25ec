import { detailOfMissingSeller } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import { lockSellers } from '../sellers/seller.repository.ts';
import type { AgentContent } from './agent.ts';
import { sellersOf } from './conditions.ts';

/** Refuses conditions that name a seller whom the store does not have, and that `former` did not name: they would never hold. */
export async function requireSellers(
  sql: TransactionSql,
  storeId: string,
  { condition_groups }: AgentContent,
  former?: AgentContent,
): Promise<void> {
  const known = sellersOf(former?.condition_groups ?? []);
  const ids = sellersOf(condition_groups).filter((id) => !known.includes(id));
  if (ids.length === 0) return;
  const detail = detailOfMissingSeller(ids, await lockSellers(sql, storeId, ids));
  if (detail) throw new AppError('seller_not_found', { detail });
}
