import type { MessageAuthor } from '@mostrador/contracts';
import type { InboundMessage } from '../channels/channel-provider.ts';
import type { AiPause, ConversationRow } from '../conversations/conversation.repository.ts';
import type { MessageRow } from '../messages/message.ts';
import { isLate } from './came-at.ts';

export const telephone: MessageAuthor = { kind: 'phone', id: null, name: null };
export const agentOfChannel: MessageAuthor = { kind: 'agent', id: null, name: null };

/** A day, after which the reply window closes: our AI does not write to who writes with another one. */
export const standbyPauseMinutes = 24 * 60;

type Told = Pick<InboundMessage, 'isEcho' | 'isOnStandby' | 'writtenAt'>;
type Known = {
  readonly conversation: Pick<ConversationRow, 'customer_wrote_at'>;
  /** For how long a message of a seller pauses the AI. */
  readonly minutes: number;
  readonly now: Date;
};

/** The channel's times are whole seconds. */
const secondOf = (at: Date | null): number => Math.floor(Number(at) / 1000);

/**
 * Whether what the store wrote to the lead says who answers now. One that was delayed for a day, or that is from before what
 * the lead wrote last, does not. Pure.
 */
export const isCurrent = (
  { writtenAt }: Pick<Told, 'writtenAt'>,
  { conversation, now }: Omit<Known, 'minutes'>,
): boolean => !isLate(now, writtenAt) && secondOf(writtenAt) >= secondOf(conversation.customer_wrote_at);

/**
 * How a message that the channel tells pauses the AI. Undefined: it does not. What a person wrote on the telephone does so
 * from the moment when it was written, also when the lead has written since. Pure.
 */
export function pauseOf(message: Told, known: Known): AiPause | undefined {
  const { isEcho, isOnStandby, writtenAt } = message;
  if (isLate(known.now, writtenAt)) return undefined;
  if (isOnStandby) {
    if (isEcho && !isCurrent(message, known)) return undefined;
    return { minutes: standbyPauseMinutes, by: agentOfChannel };
  }
  if (!isEcho) return undefined;
  const { minutes, now } = known;
  if (writtenAt.getTime() + minutes * 60_000 <= now.getTime()) return undefined;
  return { minutes, by: telephone, since: writtenAt };
}

/** Whether an echo is probably that of a message whose id is not known: nothing but what it says names it. */
export const isEchoOf = ({ kind, body, media, writtenAt }: InboundMessage, sent: MessageRow): boolean =>
  kind === sent.kind &&
  body === sent.body &&
  (media === undefined) === (sent.media === null) &&
  secondOf(writtenAt) >= secondOf(sent.created_at);
