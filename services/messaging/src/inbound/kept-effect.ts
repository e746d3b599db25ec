import { canonicalPhone } from '@mostrador/kit/phones/canonical-phone';
import type { CustomerIds, InboundEffect } from '../channels/channel-provider.ts';
import { asPhone } from '../identities/as-phone.ts';

/** What a channel tells of a customer that changes their conversation, and is no message. */
export type ConversationEffect = Extract<InboundEffect, { readonly kind: 'opt_out' | 'handover' | 'call' }>;

const hourMs = 3_600_000;
/** How long it waits for its customer to become a lead. A call and a handover say nothing after a day. */
const keptMs = { opt_out: 365 * 24 * hourMs, handover: 24 * hourMs, call: 24 * hourMs } as const;

/** How the kept effects of a customer are found. */
export type CustomerKeys = { readonly phone_key: string | null; readonly user_id: string | null };

export const keysOf = ({ waId, userId }: CustomerIds): CustomerKeys => {
  const phone = asPhone(waId);
  return { phone_key: phone === null ? waId : canonicalPhone(phone), user_id: userId };
};

/** A row of `kept_effects`. */
export type KeptRow = CustomerKeys & {
  readonly customer: string;
  readonly kind: ConversationEffect['kind'];
  readonly part: string;
  readonly effect: object;
  readonly told_at: Date;
  readonly kept_until: Date;
};

/** By whom an effect was told, and of which number as the channel writes it. A row of the version before has neither. */
type Told = { readonly channelId?: string; readonly waId?: string };

/** An effect as a row. Null: the channel names the customer by nothing. */
export function toKept(effect: ConversationEffect, channelId: string): KeptRow | null {
  const { kind, at, customer: ids, ...rest } = effect;
  const own = { ...rest, channelId, ...(ids.waId !== null && { waId: ids.waId }) } satisfies Told;
  const keys = keysOf(ids);
  const customer = keys.user_id ?? keys.phone_key;
  if (customer === null) return null;
  const part = effect.kind === 'opt_out' ? effect.wish.scope : '';
  return { ...keys, customer, kind, part, effect: own, told_at: at, kept_until: new Date(at.getTime() + keptMs[kind]) };
}

/** The row of a customer who has other ids now. What is not told stays. */
export function withIds(row: KeptRow, ids: CustomerIds): KeptRow {
  const to = keysOf(ids);
  const keys = { phone_key: to.phone_key ?? row.phone_key, user_id: to.user_id ?? row.user_id };
  const effect = { ...row.effect, ...(ids.waId !== null && { waId: ids.waId }) };
  return { ...row, ...keys, effect, customer: keys.user_id ?? keys.phone_key ?? row.customer };
}

/** The two ids of a customer, which the channel has told together. */
export type BothIds = { readonly waId: string; readonly userId: string; readonly channelId: string };

/** Undefined: the channel has told one of them. */
export function bothIdsIn({ effect, user_id: userId }: KeptRow): BothIds | undefined {
  const { channelId, waId } = effect as Told;
  return channelId === undefined || waId === undefined || userId === null ? undefined : { channelId, waId, userId };
}

/** The effect of a row, for the customer with these ids. */
export function fromKept({ kind, effect, told_at }: KeptRow, customer: CustomerIds): ConversationEffect {
  const { channelId: _channel, waId: _number, ...own } = effect as Told;
  return { ...own, kind, at: told_at, customer } as ConversationEffect;
}
