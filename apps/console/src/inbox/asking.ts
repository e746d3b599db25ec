import type { AskedEffects, Explanation, Message } from '../api/platform.ts';

type Call = Explanation['tools'][number];

/** Whether the AI has asked a person for what it did not do by itself. */
export const asksPerson = ({ handover_reason }: Pick<Explanation, 'handover_reason'>): boolean =>
  handover_reason === 'needs_confirmation';

/** Whether a person has still to decide. */
export const waitsForPerson = ({ tools }: Pick<Explanation, 'tools'>): boolean =>
  tools.some(({ awaits_confirmation }) => awaits_confirmation);

/** Whether the AI has written in a thread, so that it may have asked for something. Pure. */
export const hasAiWritten = (messages: readonly Pick<Message, 'source' | 'author'>[]): boolean =>
  messages.some(({ source, author }) => source === 'ai' && author?.id !== null);

/** Whether a person has written after a message of a thread, newest first. Pure. */
export const isAnswered = (messages: readonly Pick<Message, 'id' | 'source'>[], id: string): boolean =>
  messages
    .slice(
      0,
      messages.findIndex((message) => message.id === id),
    )
    .some(({ source }) => source === 'seller');

/** Whether the time of an effect that waits is kept for the customer. Undefined: no time was. Pure. */
export function keptUntil({ offer }: Pick<Call, 'offer'>, now: number): { readonly isOver: boolean } | undefined {
  if (!offer?.held_until) return undefined;
  return { isOver: Date.parse(offer.held_until) <= now };
}

/** Free times that the answer to a refused effect names. Pure. */
export const alternativesOf = ({ alternatives }: Call['output']): string[] =>
  Array.isArray(alternatives) ? alternatives.filter((start) => typeof start === 'string') : [];

export type Asked = Pick<AskedEffects, 'tools' | 'decision'>;
