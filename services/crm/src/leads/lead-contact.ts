import type { getLeadContact, ReplyOf } from '@mostrador/contracts';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { LeadContactRow } from './lead-contact.repository.ts';

/** What other services see of a lead. */
export const toLeadContact = ({ ai_paused_until, ...row }: LeadContactRow): ReplyOf<typeof getLeadContact> => ({
  ...row,
  ai_paused_until: ai_paused_until && toTimestamp(ai_paused_until),
});
