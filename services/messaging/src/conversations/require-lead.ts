import { getLeadContact } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Dependencies } from '../dependencies.ts';
import { conversationExists } from './conversation.repository.ts';

/**
 * Refuses a lead that the store does not have, as `lead_not_found`. A lead with a conversation is known here; only for
 * the others crm is asked.
 */
export async function requireLead(
  { database, rpc }: Pick<Dependencies, 'database' | 'rpc'>,
  context: StoreContext,
  leadId: string,
): Promise<void> {
  const known = await database.read(context, (sql) => conversationExists(sql, context.storeId, leadId));
  if (!known) await rpc.call(getLeadContact, { body: { lead_id: leadId } }, context);
}
