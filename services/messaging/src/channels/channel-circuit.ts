import { type Circuit, createCircuit } from '@mostrador/kit/resilience/circuit';
import { ChannelError } from './channel-provider.ts';

/** The circuits of this process, one per channel. 16 calls at once of 200 ms each give a number's full rate of 80/s. */
export const createChannelCircuit = (): Circuit => createCircuit({ isOutage, callsAtOnce: 16 });

const isOutage = (error: unknown): boolean =>
  !(error instanceof ChannelError) || error.kind === 'not_sent' || error.kind === 'ambiguous';
