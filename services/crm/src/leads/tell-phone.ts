import { changeContactPhone } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Dependencies } from '../dependencies.ts';
import type { LeadRow } from './lead.ts';

const limitMs = 2_000;

/**
 * Tells messaging the new phone of a lead, so that a message sent after the answer goes to it. When messaging does not
 * answer, it learns the phone from the event.
 */
export async function tellPhone(
  { rpc }: Pick<Dependencies, 'rpc'>,
  context: StoreContext,
  { id, customer_phone, version }: Pick<LeadRow, 'id' | 'version'> & { readonly customer_phone: string },
): Promise<void> {
  const deadline = Math.min(context.deadline, Date.now() + limitMs);
  try {
    await rpc.call(changeContactPhone, { body: { lead_id: id, customer_phone, version } }, { ...context, deadline });
  } catch (error) {
    context.log.warn({ err: error, lead_id: id }, 'messaging was not told a new phone; it learns it from the event');
  }
}
