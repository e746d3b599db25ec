import { AppError } from '@mostrador/kit/rpc/errors';
import type { CustomerIds } from '../channels/channel-provider.ts';
import type { ConversationRow } from '../conversations/conversation.repository.ts';
import { mayReplyTo } from '../conversations/may-reply-to.ts';
import { asPhone } from '../identities/as-phone.ts';

/**
 * The lead of a message. `confirmed`: crm has found or created it during this request. `byWaId`: the channel knows it by the
 * number of the message.
 */
export type FoundLead = { readonly id: string; readonly confirmed: boolean; readonly byWaId: boolean };

/**
 * Checks on the locked row that the customer of a message is still the lead who was found by the number.
 *
 * @throws AppError `service_unavailable` the lead has just got another phone. A retry finds the lead of the customer
 */
export function requireSameCustomer(
  conversation: Pick<ConversationRow, 'wa_id' | 'phone'>,
  { byWaId, confirmed }: FoundLead,
  { waId }: CustomerIds,
): void {
  const isSame = byWaId
    ? conversation.wa_id === waId
    : !confirmed || asPhone(waId) === null || mayReplyTo(conversation, waId);
  if (!isSame) throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
}
