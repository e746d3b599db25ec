import { expect, test } from 'vitest';
import { sumOf } from './replay-sum.ts';

test('a trial counts what differs, who was and would be called, and what cannot be sent', () => {
  const turn = (before: 'reply' | 'hand_over', after: 'reply' | 'hand_over' | 'failed', differs: boolean) => ({
    ...{ before: { action: before }, after: { action: after }, differs },
  });
  expect(sumOf([])).toEqual({ count: 0, differ: 0, handedOver: { before: 0, after: 0 }, failed: 0 });
  expect(
    sumOf([
      turn('reply', 'reply', true),
      turn('reply', 'hand_over', true),
      turn('hand_over', 'hand_over', false),
      turn('hand_over', 'failed', true),
    ]),
  ).toEqual({ count: 4, differ: 3, handedOver: { before: 2, after: 2 }, failed: 1 });
});
