import { expect, test } from 'vitest';
import { createChannelGate } from './channel-circuit.ts';
import { ChannelError, type ChannelErrorKind } from './channel-provider.ts';

const closedAfter = async (count: number, kind: ChannelErrorKind) => {
  const gate = createChannelGate();
  const error = new ChannelError(kind, 'code', 'Detail.');
  for (let time = 0; time < count; time += 1) {
    await expect(gate.run('a', () => Promise.reject(error))).rejects.toBe(error);
  }
  return gate.closedForMs('a') > 0;
};

test.each(['not_sent', 'ambiguous'] as const)('a channel is left alone after five times %s in a row', async (kind) => {
  expect(await closedAfter(4, kind)).toBe(false);
  expect(await closedAfter(5, kind)).toBe(true);
});

test.each(['throttled', 'refused', 'channel'] as const)('a channel that answers is there: %s', async (kind) => {
  expect(await closedAfter(20, kind)).toBe(false);
});

test('a channel that hangs takes up sixteen calls and no more', async () => {
  const gate = createChannelGate();
  const hang = Promise.withResolvers<void>();
  const running = Array.from({ length: 15 }, () => gate.run('a', () => hang.promise));
  expect(gate.closedForMs('a')).toBe(0);
  running.push(gate.run('a', () => hang.promise));
  expect(gate.closedForMs('a')).toBeGreaterThan(0);
  hang.resolve();
  await Promise.all(running);
});
