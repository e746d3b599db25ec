import { describe, expect, test } from 'vitest';
import { ChannelError, toChannelError } from '../channels/channel-provider.ts';
import { delayAfter, delayWhileBlocked } from './next-move.ts';

const error = (retryAfterSeconds?: number) =>
  new ChannelError('not_sent', 'code', 'detail', retryAfterSeconds === undefined ? {} : { retryAfterSeconds });

describe('the delay before the next attempt', () => {
  test('doubles from 2 s to 5 minutes, with a jitter of 20 percent', () => {
    const middle = () => 0.5;
    expect([1, 2, 3, 8, 9, 100].map((attempts) => delayAfter(error(), attempts, middle))).toEqual([
      2_000, 4_000, 8_000, 256_000, 300_000, 300_000,
    ]);
    expect(delayAfter(error(), 1, () => 0)).toBe(1_600);
    expect(delayAfter(error(), 1, () => 1)).toBe(2_400);
    expect(delayAfter(error(), 100, () => 1)).toBe(300_000);
  });

  test('is what the provider asks for, between 1 s and a day', () => {
    expect([0, 7, 10_000_000].map((seconds) => delayAfter(error(seconds), 1))).toEqual([1_000, 7_000, 86_400_000]);
  });

  test('lasts at least as long as the circuit blocks the channel, with jitter', () => {
    expect(delayWhileBlocked(30_000, () => 0)).toBe(30_000);
    expect(delayWhileBlocked(30_000, () => 1)).toBe(36_000);
    expect(delayWhileBlocked(1, () => 0)).toBe(100);
  });
});

test('an unexpected error of an adapter is ambiguous, and its text is not shown', () => {
  const failure = toChannelError(new TypeError('cannot read 5511999990000'));
  expect(failure).toMatchObject({ kind: 'ambiguous', code: 'channel_failed' });
  expect(failure.detail).not.toContain('5511');
});
