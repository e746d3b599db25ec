import {
  type BookingRules,
  getBookingRules,
  getStoreSettings,
  isFirstContact,
  type RequestOf,
  type selectAgent,
} from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import type { LeadRow } from '../leads/lead.ts';
import type { Candidate, Facts } from './choose-agent.ts';

type Body = RequestOf<typeof selectAgent>['body'];
type Asked = { readonly requestId: string; readonly storeId: string; readonly deadline: number };

/** What the conditions of these agents compare. Asks other services only for what one of the conditions needs. */
export async function gatherFacts(
  rpc: Dependencies['rpc'],
  { requestId, storeId, deadline }: StoreContext,
  { body, lead, agents }: { body: Body; lead: LeadRow | undefined; agents: readonly Candidate[] },
): Promise<Facts> {
  // Without the key and the preconditions of the request, which are not about what is asked here.
  const asked: Asked = { requestId, storeId, deadline };
  const conditions = agents.flatMap(({ condition_groups }) => condition_groups.flatMap((group) => group.conditions));
  const has = (type: string) => conditions.some(({ condition_type }) => condition_type === type);
  const hours = conditions.filter(({ condition_type }) => condition_type === 'business_hours');
  const needsSettings = hours.some(({ timezone }) => !timezone) || (has('language') && body.language === undefined);
  const [settings, rules, contact] = await Promise.all([
    needsSettings ? rpc.call(getStoreSettings, {}, asked) : undefined,
    hours.some((condition) => !condition.hours) ? openingHours(rpc, asked) : undefined,
    lead && has('first_contact') ? rpc.call(isFirstContact, { body: { lead_id: lead.id } }, asked) : undefined,
  ]);
  const { status = 'pending', seller_id = null, tags = [], first_contact = true } = body.lead ?? {};
  return {
    ...(lead ? { status: lead.status, seller_id: lead.seller_id, tags: lead.tags } : { status, seller_id, tags }),
    first_contact: lead ? contact?.first_contact : first_contact,
    message: body.message,
    language: body.language ?? settings?.locale,
    at: body.at === undefined ? Date.now() : toInstant(body.at).getTime(),
    timezone: settings?.timezone,
    rules,
  };
}

/** Undefined for a store that has no booking rules, and so no opening hours. */
async function openingHours(rpc: Dependencies['rpc'], asked: Asked): Promise<BookingRules | undefined> {
  try {
    return await rpc.call(getBookingRules, {}, asked);
  } catch (error) {
    if (error instanceof AppError && error.code === 'booking_rules_not_found') return undefined;
    throw error;
  }
}
