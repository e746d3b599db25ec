import { type Database, isUniqueViolation, type Sql, type StoreScope } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import { findLeadIdByExternalId, findLeadIdByPhone } from './lead.repository.ts';
import type { LeadRow } from './lead.ts';

type Identity = Pick<LeadRow, 'customer_phone' | 'external_id'>;

/** The error about a lead that was not inserted, because another one has its phone or its external id. */
export async function leadTaken(
  sql: Sql,
  storeId: string,
  { customer_phone, external_id }: Identity,
): Promise<AppError> {
  const id = await findLeadIdByPhone(sql, storeId, customer_phone);
  const other = id === null && external_id !== null ? await findLeadIdByExternalId(sql, storeId, external_id) : null;
  return other
    ? new AppError('external_id_exists', { members: { id: other } })
    : new AppError('lead_exists', { members: { id } });
}

/** Translates a failed change: throws `external_id_exists` when another lead has the external id, else the error itself. */
export async function throwTaken(
  database: Database,
  scope: StoreScope,
  externalId: string | null | undefined,
  error: unknown,
): Promise<never> {
  if (!externalId || !isUniqueViolation(error, 'leads_external_id')) throw error;
  const id = await database.read(scope, (sql) => findLeadIdByExternalId(sql, scope.storeId, externalId));
  throw new AppError('external_id_exists', { members: { id } });
}
