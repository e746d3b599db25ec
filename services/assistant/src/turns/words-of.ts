import type { Message } from '@mostrador/contracts';

/** What a message says, in any of its kinds. */
export type Saying = Pick<Message, 'body'> & Partial<Pick<Message, 'id' | 'content' | 'reply_to_id'>>;

const longestValue = 200;
const longestNote = 600;
const mostValues = 20;

/** A value of a customer in one line, which ends no bracket. */
const plain = (value: unknown): string =>
  [...(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))]
    .slice(0, longestValue)
    .join('')
    .replaceAll(/[[\]\s]+/g, ' ')
    .trim();

const note = (word: string, values: readonly unknown[]): string[] => {
  const said = values.slice(0, mostValues).map(plain).filter(Boolean).join(', ');
  return said === '' ? [] : [`[${word}: ${[...said].slice(0, longestNote).join('')}]`];
};

/**
 * The words of a message for the model: its text, and in brackets what it says beside: a place, contacts, an order, a form,
 * a product, an ad, and the beginning of the message that it quotes, if that is among `others`. All of it is the customer's
 * text, shortened. Empty: a picture, a recording and the like.
 */
export function wordsOf({ body, content, reply_to_id }: Saying, others: readonly Saying[] = []): string {
  const {
    latitude,
    longitude,
    name,
    address,
    contacts = [],
    items = [],
    fields = {},
    product,
    referral,
  } = content ?? {};
  const quoted = reply_to_id ? others.find(({ id }) => id === reply_to_id) : undefined;
  const notes = [
    ...note('quotes', [quoted?.body ?? '']),
    ...note('location', latitude === undefined ? [] : [name ?? '', address ?? '', `${latitude} ${longitude}`]),
    ...note(
      'contact',
      contacts.flatMap((card) => [card.name, ...card.phones]),
    ),
    ...note(
      'order',
      items.map(({ quantity, product_id, price, currency }) => `${quantity} x ${product_id} at ${price} ${currency}`),
    ),
    ...note(
      'form',
      Object.entries(fields)
        .filter(([field]) => field !== 'flow_token')
        .map(([field, value]) => `${field} = ${plain(value)}`),
    ),
    ...note('asks about the product', [product?.product_id ?? '']),
    ...note('comes from the ad', [referral?.headline ?? '', referral?.body ?? '']),
  ];
  // A quote alone says nothing.
  const says = body.trim() !== '' || notes.length > (quoted?.body ? 1 : 0);
  return says ? [...notes, body.trim()].filter(Boolean).join('\n') : '';
}
