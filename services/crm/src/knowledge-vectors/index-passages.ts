import { mostTextsToEmbed } from '@mostrador/contracts';
import { eachOf } from '@mostrador/kit/process/each-of';
import type { Log } from '@mostrador/kit/process/log';
import { type Periodic, periodically } from '@mostrador/kit/process/periodic';
import { retryDelayMs } from '@mostrador/kit/resilience/retry-delay';
import type { Dependencies } from '../dependencies.ts';
import { type Embedded, embed } from './embed.ts';
import {
  type AttemptOutcome,
  claimIndex,
  findDueIndexes,
  findPassagesToEmbed,
  lockIndex,
  markFailed,
  recordAttempt,
  saveVectors,
} from './vectors.repository.ts';

type Parts = Pick<Dependencies, 'database' | 'systemDatabase' | 'rpc'>;

/** Provider < request < lease. */
const requestMs = 20_000;
const leaseMs = 40_000;
const systemMs = 5_000;
/** Stores that one process serves at once, so that a slow embedder holds up only its own store. */
const atOnce = 4;
const dueStores = 100;
const firstRetryMs = 2_000;

/** Gives vectors to passages that have none. Each process of the service runs it, and the row decides who does what. */
export const indexJob = (parts: Parts & { readonly log: Log }): Periodic =>
  periodically({
    name: 'knowledge-index',
    everyMs: 1_000,
    log: parts.log,
    run: (signal) => indexDueStores(parts, signal),
  });

/** One run of the job: a batch for each store that is due, in turn, until none has passages left. */
export async function indexDueStores(parts: Parts, signal: AbortSignal): Promise<void> {
  for (let more = true; more && !signal.aborted; ) {
    const stores = await parts.systemDatabase.read({ deadline: Date.now() + systemMs }, (sql) =>
      findDueIndexes(sql, dueStores),
    );
    more = stores.length === dueStores;
    await eachOf(stores, atOnce, async ({ store_id }) => {
      if (!signal.aborted && (await indexBatch(parts, store_id))) more = true;
    });
  }
}

/** Embeds some passages of a store. Returns whether more can be done at once. */
async function indexBatch({ database, rpc }: Parts, storeId: string): Promise<boolean> {
  const scope = { storeId, deadline: Date.now() + requestMs };
  const claimed = await database.write(scope, (sql) => claimIndex(sql, storeId, leaseMs));
  if (!claimed) return false;
  const { embedder_id, lease_token } = claimed;
  // After a failure one at a time, because one passage that the embedder does not take fails all of its batch.
  const most = claimed.attempts > 0 ? 1 : mostTextsToEmbed;
  const found = await database.read(scope, (sql) => findPassagesToEmbed(sql, storeId, embedder_id, most));
  const passages = found[0]?.has_failed ? found.slice(0, 1) : found.filter(({ has_failed }) => !has_failed);
  if (passages.length === 0) {
    const done = { attempts: 0, failure: null, nextInMs: null };
    await database.write(scope, (sql) => recordAttempt(sql, storeId, lease_token, done));
    return false;
  }
  const texts = passages.map(({ title, content }) => `${title}\n${content}`);
  const embedded = await embed(rpc, { ...scope, requestId: lease_token }, embedder_id, texts);
  const later = { storeId, deadline: Date.now() + systemMs };
  if ('failure' in embedded) {
    const { isOfTexts, ...failed } = afterFailure(claimed.attempts, embedded);
    await database.write(later, async (sql) => {
      const [passage] = passages;
      if (isOfTexts && passage && passages.length === 1) await markFailed(sql, storeId, passage);
      await recordAttempt(sql, storeId, lease_token, failed);
    });
    return false;
  }
  const vectors = passages.flatMap((passage, index) => {
    const vector = embedded.vectors[index];
    return vector ? [{ ...passage, ...vector }] : [];
  });
  await database.write(later, async (sql) => {
    if (!(await lockIndex(sql, storeId, embedder_id))) return;
    await saveVectors(sql, storeId, embedder_id, vectors);
    await recordAttempt(sql, storeId, lease_token, { attempts: 0, failure: null, nextInMs: 0 });
  });
  return true;
}

/** Failures that say nothing of the texts. */
const ofStore: ReadonlySet<string> = new Set(['budget_reached', 'rate_limited', 'not_connected']);

/**
 * What follows a failure of the embedder. Pure. While the budget of the day is used up, the embedder was not asked, so the
 * passages wait as they are.
 */
export function afterFailure(
  attempts: number,
  { failure, retryAfterSeconds }: Extract<Embedded, { readonly failure: string }>,
): AttemptOutcome & { readonly isOfTexts: boolean } {
  const isOfTexts = !ofStore.has(failure);
  if (failure === 'budget_reached' && retryAfterSeconds !== undefined) {
    return { attempts, failure, nextInMs: retryAfterSeconds * 1000, isOfTexts };
  }
  const more = attempts + 1;
  const nextInMs = retryDelayMs({ attempts: more, firstMs: firstRetryMs, retryAfterSeconds });
  return { attempts: more, failure, nextInMs, isOfTexts };
}
