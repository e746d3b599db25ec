import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type InboundMessage, identitiesOf } from '../channels/channel-provider.ts';
import { byCustomer, type Piece, slicesOf } from './pieces.ts';

const ids = fc
  .record({ waId: fc.option(fc.constantFrom('1', '2', '3')), userId: fc.option(fc.constantFrom('A', 'B', 'C')) })
  .filter(({ waId, userId }) => waId !== null || userId !== null);
const piecesOf = (customers: readonly { waId: string | null; userId: string | null; channel: string }[]) =>
  customers.map(
    ({ channel, ...content }, index) =>
      ({ payload: { channel_id: channel, id: String(index) }, content }) as Piece<InboundMessage>,
  );
const keysOf = ({ payload, content }: Piece<InboundMessage>) =>
  identitiesOf(content).map((id) => `${payload.channel_id} ${id}`);

test('messages share a group when ids lead from one to the other, and keep their order in it', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(ids, fc.constantFrom('x', 'y')), { maxLength: 12 }), (given) => {
      const pieces = piecesOf(given.map(([customer, channel]) => ({ ...customer, channel })));
      const groups = byCustomer(pieces);
      expect(groups.flat().toSorted((a, b) => pieces.indexOf(a) - pieces.indexOf(b))).toEqual(pieces);
      for (const group of groups) {
        expect(group).toEqual(pieces.filter((piece) => group.includes(piece)));
        const reached = new Set(keysOf(group[0] as Piece<InboundMessage>));
        for (const _ of group) {
          for (const piece of group)
            if (keysOf(piece).some((key) => reached.has(key))) keysOf(piece).forEach((key) => void reached.add(key));
        }
        for (const piece of pieces) expect(keysOf(piece).some((key) => reached.has(key))).toBe(group.includes(piece));
      }
    }),
  );
});

test('a slice is of one channel, and no larger than asked', () => {
  const pieces = ['x', 'x', 'y', 'x'].map(
    (channel_id, content) => ({ payload: { channel_id }, content }) as Piece<number>,
  );
  const slices = slicesOf(pieces, 2).map((slice) => slice.map(({ content }) => content));
  expect(slices).toEqual([[0, 1], [3], [2]]);
});
