import { getLead, getOptOut, getStoreSettings, type Lead, listMessages, type Message } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Dependencies } from '../dependencies.ts';
import type { StepCall } from './step-call.ts';

/** The last messages of a lead that a turn reads. */
export const mostMessages = 50;

/** A lead, its last messages from the oldest to the newest, and the language and time zone of its store. Undefined: no such lead. */
export const readLead = (
  rpc: Dependencies['rpc'],
  call: StepCall,
  leadId: string,
): Promise<{ lead: Lead; messages: Message[]; locale: string; timezone: string } | undefined> =>
  unlessGone(async () => {
    const [lead, { data }, { locale, timezone }] = await Promise.all([
      readLeadNow(rpc, call, leadId),
      rpc.call(listMessages, { params: { leadId }, query: { limit: mostMessages } }, call),
      rpc.call(getStoreSettings, {}, call),
    ]);
    return lead && { lead, messages: data.toReversed(), locale, timezone };
  });

/**
 * A lead with what stops the AI. Messaging knows first that a person has written or that the lead has opted out, and crm
 * learns it later. Undefined: no such lead.
 */
export const readLeadNow = (rpc: Dependencies['rpc'], call: StepCall, leadId: string): Promise<Lead | undefined> =>
  unlessGone(async () => {
    const [lead, known] = await Promise.all([
      rpc.call(getLead, { params: { leadId } }, call),
      rpc.call(getOptOut, { body: { lead_id: leadId } }, call),
    ]);
    return {
      ...lead,
      ai_paused_until: lead.ai_paused_until ?? known.ai_paused_until ?? null,
      opted_out_at: lead.opted_out_at ?? known.opted_out_at,
    };
  });

async function unlessGone<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError && error.code === 'lead_not_found') return undefined;
    throw error;
  }
}
