import { createGate, type Gate } from '@mostrador/kit/resilience/circuit';
import type { ChannelRow } from './channel.repository.ts';
import { ChannelError } from './channel-provider.ts';

/** One for all channels of this process. Sixteen calls at 200 ms each are the throughput that a number has. */
export const createChannelGate = (): Gate => createGate({ isOutage, callsAtOnce: 16 });

const isOutage = (error: unknown): boolean =>
  !(error instanceof ChannelError) || error.kind === 'not_sent' || error.kind === 'ambiguous';

/** Whether a channel lies beyond a network. The sandbox is a table of ours, and bounded as such. */
export const isGuarded = ({ provider }: Pick<ChannelRow, 'provider'>): boolean => provider !== 'sandbox';
