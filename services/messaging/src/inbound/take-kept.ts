import type { StoreScope } from '@mostrador/kit/database/database';
import type { CustomerIds } from '../channels/channel-provider.ts';
import { ensureConversation, learnIds } from '../conversations/conversation.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { applyToConversation } from './apply-to-conversation.ts';
import { findKept, takeKeptRows } from './kept-effect.repository.ts';
import { bothIdsIn, fromKept, keysOf } from './kept-effect.ts';

/** A lead whom crm has just named, and the ids by which channels know its customer. */
export type NamedLead = { readonly leadId: string; readonly ids: CustomerIds };

/** The ids of a lead as crm has them. */
export const idsOf = (contact: {
  readonly customer_phone: string | null;
  readonly channel_user_id?: string | null;
}): CustomerIds => ({ waId: contact.customer_phone, userId: contact.channel_user_id ?? null });

/**
 * Gives leads what the channel told of their customers before they were leads. Call it before the first message to or from
 * such a lead is accepted. Repeats are safe: what is taken is no longer kept.
 */
export async function takeKept(
  { database, relay }: Pick<Dependencies, 'database' | 'relay'>,
  context: StoreScope,
  leads: readonly NamedLead[],
): Promise<void> {
  const { storeId } = context;
  const keys = leads.map(({ ids }) => keysOf(ids));
  if (keys.length === 0) return;
  const places = await database.read(context, (sql) => findKept(sql, storeId, keys));
  for (const place of places) {
    const { leadId, ids } = leads[place] as NamedLead;
    await database.write(context, async (sql) => {
      const conversation = await ensureConversation(sql, storeId, leadId);
      for (const row of await takeKeptRows(sql, storeId, keysOf(ids))) {
        await applyToConversation(sql, storeId, conversation, fromKept(row, ids));
        const both = bothIdsIn(row);
        if (both) await learnIds(sql, storeId, leadId, both);
      }
    });
  }
  if (places.length > 0) relay.nudge();
}
