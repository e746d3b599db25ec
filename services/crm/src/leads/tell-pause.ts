import { followLead } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Dependencies } from '../dependencies.ts';
import type { LeadRow } from './lead.ts';
import { toLeadContact } from './lead-contact.ts';

const limitMs = 2_000;

/**
 * Tells messaging of a pause of the AI, or of its end, so that it holds from the answer on. When messaging does not answer,
 * it learns it from the event.
 */
export async function tellPause(
  { rpc }: Pick<Dependencies, 'rpc'>,
  context: StoreContext,
  row: LeadRow,
): Promise<void> {
  const { id: lead_id, version, name, customer_phone, channel_user_id, username, status, seller_id } = row;
  const { ai_paused_until, ai_paused_by, ai_pause_version } = toLeadContact(row);
  const lead = {
    ...{ lead_id, version, name, customer_phone, status, seller_id, ai_paused_until, ai_paused_by, ai_pause_version },
    // The previous version of messaging does not know them.
    ...(channel_user_id !== null && { channel_user_id }),
    ...(username !== null && { username }),
  };
  const deadline = Math.min(context.deadline, Date.now() + limitMs);
  try {
    await rpc.call(followLead, { body: lead }, { ...context, deadline });
  } catch (error) {
    context.log.warn({ err: error, lead_id }, 'messaging was not told a pause of the AI; it learns it from the event');
  }
}
