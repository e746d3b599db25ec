import { type Database, isUniqueViolation, type Sql, type StoreScope } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import { findLeadIdByExternalId, findLeadIdByPhone } from './lead.repository.ts';
import type { NewLeadWithPhone } from './lead.ts';

type Identity = Pick<NewLeadWithPhone, 'customer_phone' | 'external_id'>;

/** The error about a lead that was not inserted, because another one has its phone or its external id. */
export async function leadTaken(
  sql: Sql,
  storeId: string,
  { customer_phone, external_id }: Identity,
): Promise<AppError> {
  const id = await findLeadIdByPhone(sql, storeId, customer_phone);
  const other = id === null ? await externalIdTaken(sql, storeId, external_id) : undefined;
  return other ?? new AppError('lead_exists', { members: { id } });
}

/** The error if another lead has this external id. */
export async function externalIdTaken(
  sql: Sql,
  storeId: string,
  externalId: string | null | undefined,
): Promise<AppError | undefined> {
  const id = externalId ? await findLeadIdByExternalId(sql, storeId, externalId) : null;
  return id === null ? undefined : new AppError('external_id_exists', { members: { id } });
}

type Changed = { readonly id?: string; readonly customer_phone?: string; readonly external_id?: string | null };

/**
 * Translates a failed change of the lead `id`, if it has one yet: throws `lead_exists` or `external_id_exists` when
 * another lead has the new phone or external id, else the error itself.
 */
export async function throwTaken(
  database: Database,
  scope: StoreScope,
  { id, customer_phone: phone, external_id }: Changed,
  error: unknown,
): Promise<never> {
  const { storeId } = scope;
  if (external_id && isUniqueViolation(error, 'leads_external_id')) {
    const other = await database.read(scope, (sql) => findLeadIdByExternalId(sql, storeId, external_id));
    throw new AppError('external_id_exists', { members: { id: other } });
  }
  if (phone && (isUniqueViolation(error, 'leads_phone') || isUniqueViolation(error, 'leads_phone_key'))) {
    const other = await database.read(scope, (sql) => findLeadIdByPhone(sql, storeId, phone, id));
    throw new AppError('lead_exists', { members: { id: other } });
  }
  throw error;
}
