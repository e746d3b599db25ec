import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { eachOf } from '@mostrador/kit/process/each-of';
import type { Log } from '@mostrador/kit/process/log';
import { CircuitOpen } from '@mostrador/kit/resilience/circuit';
import { retryDelayMs } from '@mostrador/kit/resilience/retry-delay';
import { lockChannelsForUpdate } from '../channels/channel.repository.ts';
import { type ChannelAdapter, ChannelError, toChannelError } from '../channels/channel-provider.ts';
import type { ProviderNumber } from '../channels/provider-number.ts';
import type { ProviderTemplate, TemplatePage } from '../channels/provider-template.ts';
import { providerOf, targetOf } from '../channels/providers.ts';
import type { Dependencies } from '../dependencies.ts';
import { numberChanged, toNumberState } from './number.ts';
import { beginSync, endSync, findChannelsToSync, type Sync } from './sync.repository.ts';
import { replaceTemplates } from './template.repository.ts';
import { templateChanged } from './template.ts';

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

/**
 * Reads what the providers say of the channels that are due: their templates, and their numbers. What cannot be read
 * changes nothing, and is tried again after a pause.
 */
export async function syncAccounts(used: Used, signal: AbortSignal): Promise<void> {
  const due = await used.systemDatabase.read({ deadline: Date.now() + statementsMs }, (sql) =>
    findChannelsToSync(sql, batch),
  );
  await eachOf(due, atOnce, async ({ store_id: storeId, id }) => {
    if (signal.aborted) return;
    try {
      await syncOne(used, storeId, id, signal);
    } catch (error) {
      // The channels of other stores are read all the same.
      used.log.error({ err: error, store_id: storeId, channel_id: id }, 'a channel could not be synchronized');
    }
  });
}

/** Another synchronization of the channel has begun, or it was connected again. */
class Superseded extends Error {}

/** What was read. Both undefined: the provider, or the account, has none. */
type Reading<Value> = { readonly value?: Value | undefined; readonly failure?: ChannelError };

async function syncOne(used: Used, storeId: string, id: string, signal: AbortSignal): Promise<void> {
  const { database, relay, log } = used;
  const scope = () => ({ storeId, deadline: Date.now() + statementsMs });
  const sync = await database.write(scope(), (sql) => beginSync(sql, storeId, id, leaseMs));
  if (!sync) return;
  const { ownTemplates } = providerOf(sync.channel);
  const call = callerOf(used, storeId, sync, signal);
  const number = await reading(() => call((adapter, limit) => adapter.readNumber?.(limit)));
  const templates = await reading(async () => ownTemplates ?? (await readAll(call)));
  const about = { store_id: storeId, channel_id: id, provider: sync.channel.provider };
  for (const [what, { failure }] of Object.entries({ number, templates })) {
    if (failure)
      log.info({ ...about, what, code: failure.code }, 'what a provider says of a channel could not be read');
  }
  try {
    await database.write(scope(), (sql) => save(sql, storeId, sync, { number, templates }));
  } catch (error) {
    if (error instanceof Superseded) return;
    throw error;
  }
  relay.nudge();
}

type Found = {
  readonly number: Reading<ProviderNumber>;
  readonly templates: Reading<readonly ProviderTemplate[]>;
};

/** Saves what was read in one transaction. The first time, nothing has changed that an event could tell. */
async function save(sql: TransactionSql, storeId: string, sync: Sync, { number, templates }: Found): Promise<void> {
  const { channel, syncedAt } = sync;
  await lockChannelsForUpdate(sql, storeId);
  const changed = templates.value ? await replaceTemplates(sql, storeId, channel.id, templates.value) : [];
  const state = number.value ? toNumberState(number.value) : null;
  await appendOutbox(sql, storeId, [
    ...(syncedAt === null ? [] : changed.flatMap(templateChanged)),
    ...numberChanged(storeId, sync.number, state),
  ]);
  const failure = templates.failure ?? number.failure;
  const ended = await endSync(sql, storeId, sync, {
    delayMs: failure ? delayAfter(failure, sync.failures + 1) : syncEveryMs(),
    hasFailed: failure !== undefined,
    hasTemplates: templates.value !== undefined,
    templatesError: templates.failure ?? null,
    number: state,
  });
  if (!ended) throw new Superseded();
}

const delayAfter = ({ retryAfterSeconds }: ChannelError, attempts: number): number =>
  retryDelayMs({ attempts, firstMs: 30_000, longestMs: 3_600_000, retryAfterSeconds });

async function reading<Value>(read: () => Promise<Value | undefined>): Promise<Reading<Value>> {
  try {
    return { value: await read() };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

type Ask<Value> = (adapter: ChannelAdapter, limit: AbortSignal) => Promise<Value> | undefined;
type Call = <Value>(ask: Ask<Value>) => Promise<Value | undefined>;

/** Calls the provider through its circuit. Each call has its own time limit within that of the whole. */
function callerOf({ circuit, openChannel }: Used, storeId: string, { channel }: Sync, stopped: AbortSignal): Call {
  const whole = AbortSignal.any([stopped, AbortSignal.timeout(wholeMs)]);
  return (ask) =>
    circuit.run(targetOf(channel), async () => {
      try {
        return await ask(openChannel(storeId, channel), AbortSignal.any([whole, AbortSignal.timeout(pageMs)]));
      } catch (error) {
        throw toChannelError(error);
      }
    });
}

/** All pages. Undefined: the account has none, or is not known. */
async function readAll(call: Call): Promise<ProviderTemplate[] | undefined> {
  const templates: ProviderTemplate[] = [];
  let after: string | null = null;
  for (let page = 1; ; page += 1) {
    if (page > mostPages) throw endless();
    const cursor: string | null = after;
    const read: TemplatePage | undefined = await call((adapter, limit) => adapter.readTemplates?.(cursor, limit));
    if (!read) return undefined;
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
