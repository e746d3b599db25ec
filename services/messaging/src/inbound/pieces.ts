import { type InboundEffect, type InboundMessage, identitiesOf } from '../channels/channel-provider.ts';
import type { PayloadRow } from './inbound.repository.ts';
import type { Contact } from './name-contacts.ts';
import { readPayload } from './read-payload.ts';
import type { Trouble } from './settle-payloads.ts';

/** A piece of work from a payload: a message, a status update, or another effect. */
export type Piece<T> = { readonly payload: PayloadRow; readonly content: T };

/** The pieces of payloads, in the order of arrival. `note` learns what cannot be read. */
export function piecesOf(payloads: readonly PayloadRow[], note: (payload: PayloadRow, trouble: Trouble) => void) {
  const read = payloads.flatMap((payload) => {
    try {
      const notification = readPayload(payload, payload.payload, payload.received_at);
      if (notification.unreadable > 0) note(payload, { kind: 'unreadable', code: 'unreadable_entry' });
      return [{ payload, notification }];
    } catch {
      note(payload, { kind: 'unreadable', code: 'unreadable' });
      return [];
    }
  });
  const pieces = <T>(payload: PayloadRow, contents: readonly T[]) => contents.map((content) => ({ payload, content }));
  const effects = read.flatMap(({ payload, notification }) => pieces(payload, notification.effects ?? []));
  const isContact = (piece: Piece<InboundEffect>): piece is Piece<Contact> => piece.content.kind === 'contact';
  return {
    messages: read.flatMap(({ payload, notification }) => pieces(payload, notification.messages)),
    statuses: read.flatMap(({ payload, notification }) => pieces(payload, notification.statuses)),
    effects: effects.filter((piece): piece is Piece<Exclude<InboundEffect, Contact>> => !isContact(piece)),
    contacts: effects.filter(isContact),
  };
}

/**
 * The messages of each customer of each channel, in the order of arrival. Ids that came in one message are of one
 * customer.
 */
export function byCustomer(messages: readonly Piece<InboundMessage>[]): (readonly Piece<InboundMessage>[])[] {
  const firstIds = new Map<string, string>();
  const firstOf = (id: string): string => {
    const earlier = firstIds.get(id);
    return earlier === undefined ? id : firstOf(earlier);
  };
  const idsOf = ({ payload, content }: Piece<InboundMessage>) =>
    identitiesOf(content).map((id) => `${payload.channel_id} ${id}`);
  for (const piece of messages) {
    const [first = '', ...others] = new Set(idsOf(piece).map(firstOf));
    for (const other of others) firstIds.set(other, first);
  }
  return [...Map.groupBy(messages, (piece) => firstOf(idsOf(piece)[0] ?? '')).values()];
}

/** Pieces in slices of one channel each, with at most `most` pieces. */
export const slicesOf = <T>(pieces: readonly Piece<T>[], most: number): (readonly Piece<T>[])[] =>
  [...Map.groupBy(pieces, ({ payload }) => payload.channel_id).values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / most) }, (_, index) => group.slice(index * most, (index + 1) * most)),
  );
