import type { MessagePricing } from '@mostrador/contracts';
import type { Notification, StatusUpdate } from '../channel-provider.ts';
import { failureOf } from '../whatsapp/errors.ts';

/** A status update as the sandbox posts it. `id` is our id of the message, and `code` is WhatsApp's, only of `failed`. */
type PostedStatus = {
  readonly id: string;
  readonly status: StatusUpdate['status'];
  readonly at: string;
  readonly code?: number;
  /** What the message is billed as, and the telephone that got it. A payload of the previous version has neither. */
  readonly category?: string;
  readonly recipient?: string;
};

/** The sandbox's id of a message. */
export const providerIdOf = (id: string): string => `sandbox.${id}`;

/** What the sandbox posts about messages, as the bytes of a webhook have it. */
export const toPayload = (statuses: readonly PostedStatus[]): string => JSON.stringify({ statuses });

/** Each message is billed, as by WhatsApp once what is free is used up. */
const billed = (category: string): MessagePricing => ({
  ...{ category, billable: true, type: 'regular', model: 'PMP' },
  ...{ amount: null, currency: null },
});

/** Reads what `toPayload` wrote. Throws when it is something else. */
export function readNotification(payload: unknown): Notification {
  const { statuses } = payload as { readonly statuses: readonly PostedStatus[] };
  return {
    messages: [],
    statuses: statuses.map(({ id, status, at, code, category, recipient }) => ({
      providerMessageId: providerIdOf(id),
      callbackData: id,
      status,
      at: new Date(at),
      ...(code !== undefined && { error: failureOf(code) }),
      ...(recipient !== undefined && { recipient }),
      ...(code === undefined && category !== undefined && { pricing: billed(category) }),
    })),
    unreadable: 0,
  };
}
