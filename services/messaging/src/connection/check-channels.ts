import { eachOf } from '@mostrador/kit/process/each-of';
import type { Log } from '@mostrador/kit/process/log';
import { CircuitOpen } from '@mostrador/kit/resilience/circuit';
import { type ChannelRow, lockChannelsForUpdate } from '../channels/channel.repository.ts';
import { type ChannelError, toChannelError } from '../channels/channel-provider.ts';
import { targetOf } from '../channels/providers.ts';
import { beginCheck, findChannelsToCheck, markChannelRecovered, saveRefusal } from '../channels/refusal.repository.ts';
import { wakeQueues } from '../delivery/wake-queues.ts';
import type { Dependencies } from '../dependencies.ts';

const batch = 100;
/** Fewer than the circuits let through, so that checks leave room for messages to the same provider. */
const atOnce = 8;
const callMs = 10_000;
const statementsMs = 10_000;

type Used = Pick<Dependencies, 'database' | 'systemDatabase' | 'relay' | 'notices' | 'openChannel' | 'circuit'> & {
  readonly log: Log;
};

/**
 * Asks the providers about channels that they have refused. A channel whose check passes goes on, with all messages that
 * wait for it. Every other check changes nothing, except the reason that is shown.
 */
export async function checkChannels(used: Used, signal: AbortSignal): Promise<void> {
  const { systemDatabase, log } = used;
  const due = await systemDatabase.read({ deadline: Date.now() + statementsMs }, (sql) =>
    findChannelsToCheck(sql, batch),
  );
  await eachOf(due, atOnce, async ({ store_id: storeId, id }) => {
    if (signal.aborted) return;
    try {
      await checkOne(used, storeId, id);
    } catch (error) {
      // The channels of other stores are checked all the same.
      log.error({ err: error, store_id: storeId, channel_id: id }, 'a channel could not be checked');
    }
  });
}

async function checkOne(used: Used, storeId: string, id: string): Promise<void> {
  const { database, relay, notices, log } = used;
  const scope = () => ({ storeId, deadline: Date.now() + statementsMs });
  const channel = await database.write(scope(), (sql) => beginCheck(sql, storeId, id));
  if (!channel) return;
  const failure = await ask(used, storeId, channel);
  const about = { store_id: storeId, channel_id: id, provider: channel.provider };
  if (failure) {
    if (failure.kind === 'channel') await database.write(scope(), (sql) => saveRefusal(sql, storeId, channel, failure));
    log.info({ ...about, code: failure.code }, 'a channel still needs attention');
    return;
  }
  const recovered = await database.write(scope(), async (sql) => {
    // The locks and their order are those of connecting.
    await lockChannelsForUpdate(sql, storeId);
    if (!(await markChannelRecovered(sql, storeId, channel))) return false;
    await wakeQueues(sql, storeId);
    return true;
  });
  relay.nudge();
  if (!recovered) return;
  notices.publish(storeId);
  log.info(about, 'a channel works again');
}

/** Why the channel cannot go on. Undefined: it can. */
async function ask(
  { circuit, openChannel }: Used,
  storeId: string,
  channel: ChannelRow,
): Promise<Pick<ChannelError, 'kind' | 'code' | 'detail'> | undefined> {
  const check = async () => {
    try {
      await openChannel(storeId, channel).check(AbortSignal.timeout(callMs));
    } catch (error) {
      throw toChannelError(error);
    }
  };
  try {
    await circuit.run(targetOf(channel), check);
    return undefined;
  } catch (error) {
    if (error instanceof CircuitOpen) return { kind: 'not_sent', code: error.blocked.reason, detail: '' };
    return toChannelError(error);
  }
}
