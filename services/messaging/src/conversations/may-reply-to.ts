import { isFrom } from './change-contact-phone.ts';
import type { ConversationRow } from './conversation.repository.ts';

/** Whether messages may go to the number: they go to the phone that the store gave the lead. */
export const mayReplyTo = ({ phone }: Pick<ConversationRow, 'phone'>, waId: string | null): boolean =>
  phone === null || isFrom(waId, phone);
