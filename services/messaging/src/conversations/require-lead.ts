import { getLeadContact } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Dependencies } from '../dependencies.ts';
import { conversationExists } from './conversation.repository.ts';

/**
 * Throws `lead_not_found` unless the store has the lead. Asks crm only about a lead without a conversation here, and
 * returns whether it has asked.
 */
export async function requireLead(
  { database, rpc }: Pick<Dependencies, 'database' | 'rpc'>,
  context: StoreContext,
  leadId: string,
): Promise<boolean> {
  const known = await database.read(context, (sql) => conversationExists(sql, context.storeId, leadId));
  if (!known) await rpc.call(getLeadContact, { body: { lead_id: leadId } }, context);
  return !known;
}
