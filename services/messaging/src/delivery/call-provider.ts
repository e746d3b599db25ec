import { unlessAborted } from '@mostrador/kit/process/abort';
import type { Log } from '@mostrador/kit/process/log';
import { CircuitOpen } from '@mostrador/kit/resilience/circuit';
import { toChannelError, unforeseen } from '../channels/channel-provider.ts';
import { targetOf } from '../channels/providers.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Claimed } from './claim-next.ts';
import type { Outcome } from './record-outcome.ts';

/** Fewer may be a short fault of the provider. */
const attemptsUntilTold = 5;
/** An adapter that ends its call by the signal knows best what became of it. */
const graceMs = 1_000;

/** Makes the call of a claimed attempt, unless the circuit is open. Never throws, and ends even if the adapter never does. */
export async function callProvider(
  { circuit, openChannel, log }: Pick<Dependencies, 'circuit' | 'openChannel'> & { readonly log: Log },
  { attempt, message, channel, to, asTemplate }: Claimed,
  limitMs: number,
): Promise<Outcome> {
  const template = asTemplate ? message.template : null;
  const outbound = { id: message.id, to, text: message.body, template, attempt: attempt.number };
  const send = async () => {
    try {
      const sending = openChannel(attempt.storeId, channel).send(outbound, AbortSignal.timeout(limitMs));
      return await unlessAborted(AbortSignal.timeout(limitMs + graceMs), sending, () => {
        throw new Error('the adapter did not end its call when its signal was aborted');
      });
    } catch (error) {
      throw toChannelError(error);
    }
  };
  try {
    const accepted = await circuit.run(targetOf(channel, to), send);
    return { kind: 'succeeded', accepted };
  } catch (error) {
    if (error instanceof CircuitOpen) return { kind: 'not_called', blocked: error.blocked };
    const failure = toChannelError(error);
    const { kind, code } = failure;
    const about = { channel_id: channel.id, message_id: message.id, attempts: attempt.number, kind, code };
    if (code === unforeseen) log.error({ ...about, err: failure.cause }, 'a channel adapter threw an unexpected error');
    else if (attempt.number === attemptsUntilTold) {
      log.warn(about, 'a message is stuck: look at its channel with `channel show`, and at its provider');
    } else log[kind === 'channel' ? 'warn' : 'info'](about, 'an attempt to send a message failed');
    return { kind: 'failed', error: failure };
  }
}
