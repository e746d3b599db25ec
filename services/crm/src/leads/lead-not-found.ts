import type { Sql } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import { findMerge } from './merged-lead.repository.ts';

/** The error about a lead that the store does not have. Of a merged lead it names the lead that stayed. */
export async function leadNotFound(sql: Sql, storeId: string, leadId: string): Promise<AppError> {
  const merge = await findMerge(sql, storeId, leadId);
  if (!merge) return new AppError('lead_not_found');
  return new AppError('lead_not_found', {
    detail: 'The lead was merged into another one. Use the lead whose id is in `merged_into`.',
    members: { merged_into: merge.merged_into },
  });
}
