import { releaseLeadPhone } from '@mostrador/contracts';
import type { StoreScope } from '@mostrador/kit/database/database';
import type { CallContext } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Dependencies } from '../dependencies.ts';
import { asPhone } from '../identities/as-phone.ts';
import { finishRelease, type NumberRelease, startRelease } from '../identities/identity-change.repository.ts';

/**
 * Takes a number from the lead who had it, because the channel has named another customer with it. The lead keeps its
 * conversation under the channel's id. The customer who has the number now starts anew (docs/adr/0039). Each step can be
 * repeated, and the stored webhook stays open until the last one.
 *
 * @throws AppError `service_unavailable` or `upstream_timeout`: retry later
 */
export async function releaseNumber(
  { database, rpc }: Pick<Dependencies, 'database' | 'rpc'>,
  context: StoreScope & CallContext,
  release: NumberRelease,
  at: Date,
): Promise<void> {
  const { storeId } = context;
  await database.write(context, (sql) => startRelease(sql, storeId, release, at));
  const version = await releaseInCrm({ rpc }, context, release);
  await database.write(context, (sql) => finishRelease(sql, storeId, release, version));
}

/** Undefined when crm has no such lead. */
async function releaseInCrm(
  { rpc }: Pick<Dependencies, 'rpc'>,
  context: CallContext,
  { leadId, waId, userId }: NumberRelease,
): Promise<number | undefined> {
  const customer_phone = asPhone(waId);
  if (customer_phone === null) return undefined;
  const body = { lead_id: leadId, customer_phone, channel_user_id: userId };
  try {
    return (await rpc.call(releaseLeadPhone, { body }, context)).version;
  } catch (error) {
    if (error instanceof AppError && error.code === 'lead_not_found') return undefined;
    throw error;
  }
}
