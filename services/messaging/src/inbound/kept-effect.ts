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

/** An effect as a row. Null: the channel names the customer by nothing. */
export function toKept(effect: ConversationEffect): KeptRow | null {
  const { kind, at, customer: ids, ...own } = effect;
  const keys = keysOf(ids);
  const customer = keys.user_id ?? keys.phone_key;
  if (customer === null) return null;
  const part = effect.kind === 'opt_out' ? effect.wish.scope : '';
  return { ...keys, customer, kind, part, effect: own, told_at: at, kept_until: new Date(at.getTime() + keptMs[kind]) };
}

/** The row of a customer who has other ids now. What is not told stays. */
export function withKeys(row: KeptRow, to: CustomerKeys): KeptRow {
  const keys = { phone_key: to.phone_key ?? row.phone_key, user_id: to.user_id ?? row.user_id };
  return { ...row, ...keys, customer: keys.user_id ?? keys.phone_key ?? row.customer };
}

/** The effect of a row, for the customer with these ids. */
export const fromKept = ({ kind, effect, told_at }: KeptRow, customer: CustomerIds): ConversationEffect =>
  ({ ...effect, kind, at: told_at, customer }) as ConversationEffect;
