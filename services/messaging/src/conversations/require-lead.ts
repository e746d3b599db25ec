import { getLeadContact, type ReplyOf } from '@mostrador/contracts';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Dependencies } from '../dependencies.ts';
import { conversationExists } from './conversation.repository.ts';

/** Throws `lead_not_found` unless the store has the lead. Asks crm only about a lead without a conversation here. */
export async function requireLead(
  { database, rpc }: Pick<Dependencies, 'database' | 'rpc'>,
  context: StoreContext,
  leadId: string,
): Promise<void> {
  const known = await database.read(context, (sql) => conversationExists(sql, context.storeId, leadId));
  if (!known) await confirmLead(rpc, context, leadId);
}

/** The contact of a lead. Throws `lead_not_found` unless crm has the lead. */
export const confirmLead = (
  rpc: RpcClient,
  context: StoreContext,
  leadId: string,
): Promise<ReplyOf<typeof getLeadContact>> => rpc.call(getLeadContact, { body: { lead_id: leadId } }, context);
