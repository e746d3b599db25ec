import { releaseLeadPhone } from '@mostrador/contracts';
import type { StoreScope } from '@mostrador/kit/database/database';
import type { CallContext } from '@mostrador/kit/rpc/client';
import { unlessLeadGone } from '../conversations/unless-lead-gone.ts';
import type { Dependencies } from '../dependencies.ts';
import { asPhone } from '../identities/as-phone.ts';
import { finishRelease, type NumberRelease, startRelease } from '../identities/identity-change.repository.ts';

/**
 * Takes a number from the lead who had it, because the channel has named another customer with it. The lead keeps its
 * conversation under the channel's id. The customer who has the number now is a new lead (docs/adr/0039). Each step can be
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
  const { leadId, waId, userId } = release;
  await database.write(context, (sql) => startRelease(sql, storeId, release, at));
  const customer_phone = asPhone(waId);
  const body = customer_phone === null ? undefined : { lead_id: leadId, customer_phone, channel_user_id: userId };
  const released = body && (await unlessLeadGone(rpc.call(releaseLeadPhone, { body }, context)));
  await database.write(context, (sql) => finishRelease(sql, storeId, release, released?.version));
}
