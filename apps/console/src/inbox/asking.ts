import { isEffect } from '../agents/tools.ts';
import type { Explanation, Message } from '../api/platform.ts';

type Call = Explanation['tools'][number];

/** Whether the AI has asked a person for what it did not do by itself. */
export const asksPerson = ({ handover_reason }: Pick<Explanation, 'handover_reason'>): boolean =>
  handover_reason === 'needs_confirmation';

/** Whether a person has still to decide. */
export const waitsForPerson = ({ tools }: Pick<Explanation, 'tools'>): boolean =>
  tools.some(({ awaits_confirmation }) => awaits_confirmation);

/** No person could decide about these. */
const neverAsked: readonly unknown[] = ['tool_not_offered', 'invalid_input', 'customer_wrote_more', 'handed_over'];

/** The effects that a person decides about, or has decided about. Pure. */
export const askedEffects = (tools: readonly Call[]): Call[] =>
  tools.filter(
    ({ tool, output, awaits_confirmation }) =>
      awaits_confirmation || (isEffect(tool) && !neverAsked.includes(output.error)),
  );

/** The last message of the AI in a thread, newest first. `isAnswered`: a person has written since. Pure. */
export function lastOfAi(
  messages: readonly Pick<Message, 'id' | 'source' | 'author'>[],
): { readonly id: string; readonly isAnswered: boolean } | undefined {
  const place = messages.findIndex(({ source, author }) => source === 'ai' && author?.id !== null);
  const found = messages[place];
  return found && { id: found.id, isAnswered: messages.slice(0, place).some(({ source }) => source === 'seller') };
}
