import { getLead, getStoreSettings, type Lead, listMessages, type Message } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Dependencies } from '../dependencies.ts';
import type { StepCall } from './step-call.ts';

/** The last messages of a lead that a turn reads. */
export const mostMessages = 50;

/** A lead, its last messages from the oldest to the newest, and the language and time zone of its store. Undefined: no such lead. */
export async function readLead(
  rpc: Dependencies['rpc'],
  call: StepCall,
  leadId: string,
): Promise<{ lead: Lead; messages: Message[]; locale: string; timezone: string } | undefined> {
  try {
    const [lead, { data }, { locale, timezone }] = await Promise.all([
      rpc.call(getLead, { params: { leadId } }, call),
      rpc.call(listMessages, { params: { leadId }, query: { limit: mostMessages } }, call),
      rpc.call(getStoreSettings, {}, call),
    ]);
    return { lead, messages: data.toReversed(), locale, timezone };
  } catch (error) {
    if (error instanceof AppError && error.code === 'lead_not_found') return undefined;
    throw error;
  }
}
