import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { eachOf } from '@mostrador/kit/process/each-of';
import type { Log } from '@mostrador/kit/process/log';
import { CircuitOpen } from '@mostrador/kit/resilience/circuit';
import { retryDelayMs } from '@mostrador/kit/resilience/retry-delay';
import { lockChannelsForUpdate } from '../channels/channel.repository.ts';
import { ChannelError, toChannelError } from '../channels/channel-provider.ts';
import type { ProviderTemplate, TemplatePage } from '../channels/provider-template.ts';
import { providerOf, targetOf } from '../channels/providers.ts';
import type { Dependencies } from '../dependencies.ts';
import { beginSync, endSync, failSync, findChannelsToSync, type Sync } from './sync.repository.ts';
import { replaceTemplates } from './template.repository.ts';
import { statusChanged } from './template.ts';

const batch = 100;
/** Fewer than the circuits let through, so that the job leaves room for messages to the same provider. */
const atOnce = 4;
const statementsMs = 10_000;
/** The whole synchronization ends before another process may begin it. */
const leaseMs = 120_000;
const wholeMs = 60_000;
const pageMs = 10_000;
/** WhatsApp allows an account some thousand templates. */
const mostPages = 200;

/** Between two synchronizations, with up to a tenth more so that channels spread. */
export const syncEveryMs = (): number => 15 * 60_000 * (1 + Math.random() / 10);

type Used = Pick<Dependencies, 'database' | 'systemDatabase' | 'relay' | 'openChannel' | 'circuit'> & {
  readonly log: Log;
};

/** Reads the templates of the channels that are due. What fails changes nothing, and is tried again after a pause. */
export async function syncTemplates(used: Used, signal: AbortSignal): Promise<void> {
  const due = await used.systemDatabase.read({ deadline: Date.now() + statementsMs }, (sql) =>
    findChannelsToSync(sql, batch),
  );
  await eachOf(due, atOnce, async ({ store_id: storeId, id }) => {
    if (signal.aborted) return;
    try {
      await syncOne(used, storeId, id, signal);
    } catch (error) {
      // The templates of other stores are read all the same.
      used.log.error({ err: error, store_id: storeId, channel_id: id }, 'templates could not be synchronized');
    }
  });
}

/** Another synchronization of the channel has begun, or it was connected again. */
class Superseded extends Error {}

async function syncOne(used: Used, storeId: string, id: string, signal: AbortSignal): Promise<void> {
  const { database, relay, log } = used;
  const scope = () => ({ storeId, deadline: Date.now() + statementsMs });
  const sync = await database.write(scope(), (sql) => beginSync(sql, storeId, id, leaseMs));
  if (!sync) return;
  const about = { store_id: storeId, channel_id: id, provider: sync.channel.provider };
  let templates: readonly ProviderTemplate[];
  try {
    templates = providerOf(sync.channel).ownTemplates ?? (await readAll(used, storeId, sync, signal));
  } catch (error) {
    const { code, detail, retryAfterSeconds } = failureOf(error);
    const delayMs = retryDelayMs({
      attempts: sync.failures + 1,
      firstMs: 30_000,
      longestMs: 3_600_000,
      retryAfterSeconds,
    });
    await database.write(scope(), (sql) => failSync(sql, storeId, sync, { code, detail, delayMs }));
    log.info({ ...about, code }, 'the templates of a channel could not be read');
    return;
  }
  try {
    await database.write(scope(), (sql) => save(sql, storeId, sync, templates));
  } catch (error) {
    if (error instanceof Superseded) return;
    throw error;
  }
  relay.nudge();
}

/** Replaces the templates in one transaction. The first time, nothing has changed that an event could tell. */
async function save(
  sql: TransactionSql,
  storeId: string,
  sync: Sync,
  templates: readonly ProviderTemplate[],
): Promise<void> {
  const { channel, syncedAt } = sync;
  await lockChannelsForUpdate(sql, storeId);
  const changed = await replaceTemplates(sql, storeId, channel.id, templates);
  if (syncedAt !== null) await appendOutbox(sql, storeId, changed.map(statusChanged));
  if (!(await endSync(sql, storeId, sync, syncEveryMs()))) throw new Superseded();
}

/** All pages. Each has its own time limit within that of the whole. */
async function readAll(
  { circuit, openChannel }: Used,
  storeId: string,
  { channel }: Sync,
  stopped: AbortSignal,
): Promise<ProviderTemplate[]> {
  const whole = AbortSignal.any([stopped, AbortSignal.timeout(wholeMs)]);
  const templates: ProviderTemplate[] = [];
  let after: string | null = null;
  for (let page = 1; ; page += 1) {
    if (page > mostPages) throw endless();
    const cursor: string | null = after;
    const read: TemplatePage = await circuit.run(targetOf(channel), async () => {
      try {
        const adapter = openChannel(storeId, channel);
        if (!adapter.readTemplates) throw new Error('the provider has no templates');
        return await adapter.readTemplates(cursor, AbortSignal.any([whole, AbortSignal.timeout(pageMs)]));
      } catch (error) {
        throw toChannelError(error);
      }
    });
    templates.push(...read.templates);
    if (read.after === null) return templates;
    if (read.after === after) throw endless();
    after = read.after;
  }
}

const endless = () =>
  new ChannelError('refused', 'template_pages_endless', 'The pages of templates have no end.', { outage: false });

const failureOf = (error: unknown): ChannelError =>
  error instanceof CircuitOpen
    ? new ChannelError('not_sent', error.blocked.reason, 'The provider is not called now.')
    : toChannelError(error);
