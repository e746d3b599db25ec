import type { Message, MessageTemplate } from '../api/platform.ts';

/** A message that a person has sent from this page and that the list of messages does not show yet. */
export type Outgoing = {
  /** The `Idempotency-Key` of each attempt, so that the message is sent once however often it is tried. */
  readonly key: string;
  /** Of a template that was typed its name, until the list shows its text. */
  readonly text: string;
  readonly template?: MessageTemplate;
  readonly createdAt: string;
  /** `waiting`: an earlier one is being sent. `lost`: the answer did not come, and it is tried again. */
  readonly state: 'waiting' | 'sending' | 'lost' | 'refused';
  /** The code of the refusal, and what the server says about it. */
  readonly refusal?: { readonly code: string; readonly reason: string };
  /** The message that it became. */
  readonly id?: string;
  /** Messages with the same text that were there before. */
  readonly before: readonly string[];
};

type Seen = Pick<Message, 'id' | 'body' | 'source'>;

/**
 * What the list does not show yet. A message may be in the list before its own answer comes, which tells its id: then it
 * is the first one of a seller with the same text that was not there before.
 */
export function notShown(outgoing: readonly Outgoing[], newestFirst: readonly Seen[]): Outgoing[] {
  const taken = new Set(outgoing.map(({ id }) => id));
  const candidates = newestFirst.filter(({ source }) => source === 'seller').toReversed();
  return outgoing.filter(({ id, text, before, state }) => {
    if (id !== undefined) return !newestFirst.some((message) => message.id === id);
    if (state === 'refused' || state === 'waiting') return true;
    const match = candidates.find(
      (message) => message.body === text && !before.includes(message.id) && !taken.has(message.id),
    );
    if (match) taken.add(match.id);
    return match === undefined;
  });
}
