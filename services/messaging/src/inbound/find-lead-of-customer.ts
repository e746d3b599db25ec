import type { StoreScope } from '@mostrador/kit/database/database';
import type { CallContext } from '@mostrador/kit/rpc/client';
import type { CustomerIds } from '../channels/channel-provider.ts';
import type { Dependencies } from '../dependencies.ts';
import { currentIds } from '../identities/current-ids.ts';
import { findInCrm } from '../identities/find-in-crm.ts';
import { findLeadOfIds } from '../identities/identity-change.repository.ts';

/**
 * The lead that the customer with these ids was at that time (null: none), and the `ids` that the customer has now.
 * `confirmed`: crm said so now. Creates no lead.
 */
export async function findLeadOfCustomer(
  { database, rpc }: Pick<Dependencies, 'database' | 'rpc'>,
  context: StoreScope & CallContext,
  customer: CustomerIds,
  at: Date,
): Promise<{ readonly leadId: string | null; readonly confirmed: boolean; readonly ids: CustomerIds }> {
  const { storeId } = context;
  const { ids, known } = await database.read(context, async (sql) => {
    const ids = await currentIds(sql, storeId, customer, at);
    return { ids, known: await findLeadOfIds(sql, storeId, ids, at) };
  });
  const leadId = known ?? (await findInCrm(rpc, context, ids));
  return { leadId, confirmed: known === null, ids };
}
