import type { Message } from '@mostrador/contracts';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Line } from '../models/model.ts';
import { type Saying, wordsOf } from './words-of.ts';

type Written = Pick<Message, 'direction' | 'created_at' | 'revoked_at'> & Saying;

/**
 * What a lead wrote since a moment and has not deleted, from the messages in their order. `answeredTo`: when the last of
 * them was received, or the last deleted one, which is settled with them. Undefined: nothing.
 */
export function burstOf<M extends Written>(
  messages: readonly M[],
  since: Date,
): { readonly messages: readonly M[]; readonly answeredTo: Date } | undefined {
  const received = messages.filter(
    ({ direction, created_at }) => direction === 'inbound' && toInstant(created_at) >= since,
  );
  const written = received.filter(({ revoked_at = null }) => revoked_at === null);
  const last = received.at(-1);
  return last && written.length > 0 ? { messages: written, answeredTo: toInstant(last.created_at) } : undefined;
}

/**
 * Whether the lead has nothing that our AI wrote before. An agent of the channel, which has no id here, does not introduce
 * ours.
 */
export const isFirstAnswer = (
  messages: readonly Pick<Message, 'source' | 'author' | 'status' | 'revoked_at'>[],
): boolean =>
  !messages.some(
    ({ source, author, status, revoked_at = null }) =>
      source === 'ai' && author?.id !== null && !unsaid.has(status) && revoked_at === null,
  );

const longestLine = 1_000;
const longestConversation = 8_000;

/**
 * The last `most` messages that say something in words, are not of the burst, and reached the other side: of each its first
 * 1,000 characters, and of all together at most 8,000, the newest.
 */
export function linesBefore(messages: readonly Message[], burst: readonly Written[], most: number): Line[] {
  const lines = messages
    .filter((message) => !burst.includes(message) && !unsaid.has(message.status))
    .map(
      (message): Line => ({
        from: message.direction === 'inbound' ? 'lead' : 'store',
        text: shortened(wordsOf(message, messages), longestLine),
        at: message.created_at,
      }),
    )
    .filter(({ text }) => text !== '')
    .slice(-most);
  let left = longestConversation;
  const first = lines.findLastIndex(({ text }) => {
    left -= text.length;
    return left < 0;
  });
  return lines.slice(first + 1);
}

/** The states of a message that the lead has not got, and will not get. */
const unsaid: ReadonlySet<Message['status']> = new Set(['failed', 'cancelled']);

/** The words, one message a line. Empty when there are only pictures, recordings and the like. `all` may be quoted. */
export const textOf = (messages: readonly Written[], all: readonly Saying[] = messages): string =>
  messages
    .map((message) => wordsOf(message, all))
    .filter((words) => words !== '')
    .join('\n');

/** The last `most` characters (code points) of a text. */
export const newestOf = (text: string, most: number): string => [...text].slice(-most).join('');

/** The first `most` characters (code points) of a text. */
export const shortened = (text: string, most: number): string => [...text].slice(0, most).join('');

/** What is searched for: the words of a text, none of which means more than itself to the search. */
export const searchTextOf = (text: string): string =>
  shortened(
    text
      .toLowerCase()
      .replaceAll(/["“”]|(?<=^|\s)-+/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
    500,
  );

/** Beginnings of a question that goes on with the one before: "e a barba?", "what about Friday?". */
const goesOn =
  /^[¿¡\s]*(?:e|y|and|mas|pero|but|ou|or|também|también|que tal|qué tal|what about|how about)(?![\p{L}\p{M}])/iu;
/** Words that ask, and name nothing. */
const asking = new Set(
  'quanto quantos quanta custa custam é fica sai qual quais o a os as preço valor quando onde como dura demora tempo cuánto cuesta cuestan es cuál el la precio cuándo dónde cómo how much many long is it does that cost the price what when where isso esse essa ele ela eso ese esa'.split(
    ' ',
  ),
);
const mostWordsOfRest = 5;

/**
 * What is searched for about a text: with the lead's message before, when a short text goes on with it and does not name
 * its subject. Pure.
 */
export function subjectOf(text: string, conversation: readonly Line[]): string {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const needsMore =
    words.length > 0 &&
    words.length <= mostWordsOfRest &&
    (goesOn.test(text) || words.every((word) => asking.has(word)));
  const before = needsMore ? conversation.findLast(({ from }) => from === 'lead') : undefined;
  return before === undefined ? text : `${text}\n${before.text}`;
}
