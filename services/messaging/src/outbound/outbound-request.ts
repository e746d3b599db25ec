import type { Message, MessageAuthor } from '@mostrador/contracts';
import type { Metadata } from '@mostrador/kit/database/metadata';
import type { Template } from '../messages/message.ts';
import type { RateCard } from '../prices/rate-card.ts';

/** A message to a lead, before it is accepted. */
export type OutboundRequest = {
  /** Chosen by a caller that retries with the same id until it gets an answer; generated when not given. */
  readonly id?: string;
  readonly lead_id: string;
  /** Whether crm has confirmed the lead during this request: `lockOrCreate`. */
  readonly confirmed: boolean;
  readonly source: Exclude<Message['source'], 'lead'>;
  readonly author?: MessageAuthor | null;
  /** Null: the message is the template. */
  readonly body: string | null;
  readonly template?: Template | undefined;
  readonly metadata?: Metadata;
  /** The message is rejected if the lead wrote after this time. */
  readonly unless_reply_after?: Date | undefined;
  /** From this moment on the message is not sent. */
  readonly expires_at?: Date | undefined;
  /** Until when crm says that the AI is paused. The conversation may not know it yet. */
  readonly aiPausedUntil?: Date | null;
  /** The message only says that a person will answer: the lead still waits, and the AI is paused after it. */
  readonly handsOver?: boolean;
  /** What messages cost. Only a store with a budget needs it. */
  readonly rateCard: RateCard | undefined;
  /** The lead's phone, which decides the price. Without it, an unprocessed message counts only if the channel knows the lead by another id. */
  readonly phone?: string | undefined;
};
