import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createChannelGate, GateClosed } from './channel-gate.ts';
import { ChannelError, type ChannelErrorKind } from './channel-provider.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const failing = (kind: ChannelErrorKind) => () => Promise.reject(new ChannelError(kind, 'code', 'Detail.'));
const gate = () => createChannelGate({ openMs: 30_000 });
const times = async (count: number, call: () => Promise<unknown>) => {
  for (let index = 0; index < count; index += 1) await call().catch(() => {});
};

describe('a channel that is down', () => {
  test.each(['not_sent', 'ambiguous'] as const)('is not asked after five times %s in a row', async (kind) => {
    const channels = gate();
    await times(5, () => channels.run('a', failing(kind)));
    expect(channels.closedForMs('a')).toBe(30_000);
    expect(channels.closedForMs('b')).toBe(0);
    const call = vi.fn(async () => 'sent');
    await expect(channels.run('a', call)).rejects.toBeInstanceOf(GateClosed);
    expect(call).not.toHaveBeenCalled();
  });

  test('is asked again after a while, once; and at will when that worked', async () => {
    const channels = gate();
    await times(5, () => channels.run('a', failing('not_sent')));
    vi.advanceTimersByTime(30_000);
    expect(channels.closedForMs('a')).toBe(0);
    const probe = Promise.withResolvers<string>();
    const probing = channels.run('a', () => probe.promise);
    await expect(channels.run('a', async () => 'too early')).rejects.toBeInstanceOf(GateClosed);
    expect(channels.closedForMs('a')).toBeGreaterThan(0);
    probe.resolve('sent');
    expect(await probing).toBe('sent');
    expect(await channels.run('a', async () => 'sent')).toBe('sent');
  });

  test.each(['throttled', 'refused', 'channel'] as const)('is not one that answers: %s', async (kind) => {
    const channels = gate();
    await times(20, () => channels.run('a', failing(kind)));
    expect(channels.closedForMs('a')).toBe(0);
  });
});

test('a channel that hangs takes up sixteen calls and no more', async () => {
  const channels = gate();
  const hang = Promise.withResolvers<void>();
  const running = Array.from({ length: 16 }, () => channels.run('a', () => hang.promise));
  expect(channels.closedForMs('a')).toBeGreaterThan(0);
  await expect(channels.run('a', async () => 'one more')).rejects.toBeInstanceOf(GateClosed);
  expect(await channels.run('b', async () => 'another channel')).toBe('another channel');
  hang.resolve();
  await Promise.all(running);
  expect(channels.closedForMs('a')).toBe(0);
});
