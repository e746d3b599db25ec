import { expect, test } from 'vitest';
import { createChannelCircuit } from './channel-circuit.ts';
import { ChannelError, type ChannelErrorKind } from './channel-provider.ts';

const refusesAfter = async (count: number, kind: ChannelErrorKind) => {
  const circuit = createChannelCircuit();
  const error = new ChannelError(kind, 'code', 'Detail.');
  for (let time = 0; time < count; time += 1) {
    await expect(circuit.run('a', () => Promise.reject(error))).rejects.toBe(error);
  }
  return circuit.blockedForMs('a') > 0;
};

test.each(['not_sent', 'ambiguous'] as const)('the circuit opens after five %s errors in a row', async (kind) => {
  expect(await refusesAfter(4, kind)).toBe(false);
  expect(await refusesAfter(5, kind)).toBe(true);
});

test.each(['throttled', 'refused', 'channel'] as const)('%s errors do not open the circuit', async (kind) => {
  expect(await refusesAfter(20, kind)).toBe(false);
});

test('a channel that hangs holds at most sixteen calls', async () => {
  const circuit = createChannelCircuit();
  const hang = Promise.withResolvers<void>();
  const running = Array.from({ length: 15 }, () => circuit.run('a', () => hang.promise));
  expect(circuit.blockedForMs('a')).toBe(0);
  running.push(circuit.run('a', () => hang.promise));
  expect(circuit.blockedForMs('a')).toBeGreaterThan(0);
  hang.resolve();
  await Promise.all(running);
});
