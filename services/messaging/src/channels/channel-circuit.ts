import type { ProviderCircuitOptions } from '@mostrador/kit/resilience/provider-circuit';
import { ChannelError } from './channel-provider.ts';

/**
 * 16 calls at once of 200 ms each give a number's full rate of 80/s. 24 calls leave a process, which makes 48 at once
 * and the first ones of 16 more stores, room for other providers while one hangs.
 */
export const channelCircuit: ProviderCircuitOptions = {
  outageOf: (error) => (error instanceof ChannelError ? error.outage : undefined),
  callsAtOnce: 16,
  callsPerOrigin: 24,
  firstCallsPerOrigin: 8,
};
