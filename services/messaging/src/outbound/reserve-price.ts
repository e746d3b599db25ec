import type { TransactionSql } from '@mostrador/kit/database/database';
import type { PublicEvent } from '@mostrador/kit/outbox/outbox';
import type { AcceptingChannel } from '../channels/channel.repository.ts';
import { providerOf } from '../channels/providers.ts';
import { NoConversation } from '../conversations/conversation.repository.ts';
import { reserveBudget } from '../prices/budget.ts';
import { findTemplates } from '../templates/template.repository.ts';
import type { AcceptanceRow } from './acceptance.repository.ts';
import type { OutboundRequest } from './outbound-request.ts';

type Moment = {
  readonly at: Date;
  /** Whether the reply window is open then. */
  readonly isOpen: boolean;
};

/**
 * Takes the probable price of a message from the store's budget. Undefined: the store has none.
 *
 * @throws AppError `message_budget_reached`
 * @throws NoConversation the price depends on the phone, and crm has not been asked for it
 */
export async function reservePrice(
  sql: TransactionSql,
  { store_id: storeId, settings, ...customer }: AcceptanceRow,
  channel: AcceptingChannel,
  request: OutboundRequest,
  { at, isOpen }: Moment,
): Promise<{ readonly micros: number; readonly events: readonly PublicEvent[] } | undefined> {
  const { source, handsOver = false, rateCard } = request;
  const budget = settings.monthly_budget;
  if (budget === null) return undefined;
  const category = await categoryOf(sql, storeId, channel, request, isOpen);
  const { user_id: userId } = customer;
  const known = customer.wa_id ?? customer.phone ?? request.phone ?? customer.lead_phone ?? undefined;
  if (known === undefined && userId === null && !request.confirmed) throw new NoConversation();
  const phone = known ?? (userId === null ? undefined : providerOf(channel).marketOf?.(userId));
  const expected = { source, handsOver, at, phone, category };
  return await reserveBudget(sql, storeId, { rateCard, budget }, expected);
}

/** What the channel will probably bill the message as. A template of which no category is known may be of the dearest one. */
async function categoryOf(
  sql: TransactionSql,
  storeId: string,
  channel: AcceptingChannel,
  { body, template }: OutboundRequest,
  isOpen: boolean,
): Promise<string> {
  if (!template || (body !== null && isOpen)) return 'service';
  const known = await findTemplates(sql, storeId, channel.id, template.name);
  const category = known.find(({ language }) => language === template.language)?.category ?? 'unknown';
  return category === 'unknown' ? 'marketing' : category;
}
