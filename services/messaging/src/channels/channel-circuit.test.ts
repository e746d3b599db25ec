import { createCircuit } from '@mostrador/kit/resilience/circuit';
import { expect, test } from 'vitest';
import type { ChannelProviderName } from './channel.repository.ts';
import { channelCircuit } from './channel-circuit.ts';
import { ChannelError } from './channel-provider.ts';
import { targetOf } from './providers.ts';
import { channelErrorOf } from './whatsapp/errors.ts';

test.each([
  { error: { code: 131016, status: 503 }, outage: true },
  { error: { code: 1, status: 500 }, outage: true },
  { error: { code: 190, status: 401 }, outage: false },
  { error: { code: 100, status: 400 }, outage: false },
  { error: { code: 130429, status: 429 }, outage: false },
])('only a failure of the provider itself counts for its origin: %j', ({ error, outage }) => {
  expect(channelCircuit.outageOf(channelErrorOf(error))).toBe(outage);
});

test('a failure without a call says nothing about the provider', () => {
  const unreadable = new ChannelError('not_sent', 'credentials_unreadable', 'The credentials cannot be decrypted.');
  expect(channelCircuit.outageOf(unreadable)).toBeUndefined();
  expect(channelCircuit.outageOf(new TypeError('a bug'))).toBeUndefined();
});

test('the channels of a provider share its origin, and the sandbox has one for its magic numbers alone', () => {
  const originOf = (provider: ChannelProviderName, api_url: string | null, to?: string) =>
    targetOf({ id: 'c', provider, api_url }, to).origin;
  expect(originOf('whatsapp_cloud', 'https://graph.facebook.com/v23.0')).toBe('https://graph.facebook.com');
  expect(originOf('whatsapp_cloud', 'http://127.0.0.1:4010/v23.0')).toBe('http://127.0.0.1:4010');
  expect(originOf('sandbox', null)).toBeNull();
  expect(originOf('sandbox', null, '5511900000001')).toBeNull();
  expect(originOf('sandbox', null, '12015550112')).toBe('sandbox://c');
});

test('a channel that hangs holds at most sixteen calls', async () => {
  const circuit = createCircuit({ ...channelCircuit, isOutage: () => false });
  const hang = Promise.withResolvers<void>();
  const running = Array.from({ length: 15 }, () => circuit.run('a', () => hang.promise));
  expect(circuit.blocked('a')).toBeNull();
  running.push(circuit.run('a', () => hang.promise));
  expect(circuit.blocked('a')).toMatchObject({ reason: 'provider_busy' });
  hang.resolve();
  await Promise.all(running);
});
