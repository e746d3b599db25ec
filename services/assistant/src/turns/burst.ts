import type { Message } from '@mostrador/contracts';
import { toInstant } from '@mostrador/kit/rpc/validate';

type Written = Pick<Message, 'direction' | 'body' | 'created_at'>;

/**
 * What a lead wrote since a moment, from the messages in their order. `answeredTo`: when the last of them was received.
 * Undefined: nothing.
 */
export function burstOf<M extends Written>(
  messages: readonly M[],
  since: Date,
): { readonly messages: readonly M[]; readonly answeredTo: Date } | undefined {
  const written = messages.filter(
    ({ direction, created_at }) => direction === 'inbound' && toInstant(created_at) >= since,
  );
  const last = written.at(-1);
  return last && { messages: written, answeredTo: toInstant(last.created_at) };
}

/** The texts, one a line. Empty when there are only pictures, recordings and the like. */
export const textOf = (messages: readonly Written[]): string =>
  messages
    .map(({ body }) => body.trim())
    .filter((body) => body !== '')
    .join('\n');

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
