import {
  type ListService,
  listServices,
  listTotalOperations,
  type ReplyOf,
  type RequestOf,
} from '@mostrador/contracts';
import { type Admin, existingStore } from '../admin.ts';
import { showProgress } from '../progress.ts';
import { servicesOf } from '../service-option.ts';

/** The options of both commands. */
export type ListTotalOptions = { service?: string; store?: string; json?: boolean };

type Operations = (typeof listTotalOperations)[ListService];
type Walked = ReplyOf<Operations['rebuild']>;

/** A store with many millions of rows takes long, and its answer comes at the end. */
const answerLimitMs = 60_000;

/**
 * Calls an operation of each service again and again, until it has gone through all stores, or once for `--store`.
 *
 * @returns for each service the number of stores, and the answers
 */
export async function walkStores<Verb extends keyof Operations>(
  admin: Admin,
  verb: Verb,
  options: ListTotalOptions,
): Promise<{ service: ListService; stores: number; answers: ReplyOf<Operations[Verb]>[] }[]> {
  const services = servicesOf(options.service, listServices);
  const store_id = options.store === undefined ? null : (await existingStore(admin, options.store)).id;
  const results: { service: ListService; stores: number; answers: ReplyOf<Operations[Verb]>[] }[] = [];
  for (const service of services) {
    const result = { service, stores: 0, answers: [] as ReplyOf<Operations[Verb]>[] };
    let left = Number.POSITIVE_INFINITY;
    const progress = options.json
      ? undefined
      : showProgress(admin.terminal, () => ({
          share: result.stores === 0 ? 0 : result.stores / (result.stores + left),
          text: `${service}: ${result.stores.toLocaleString('en')} stores`,
        }));
    try {
      let next: string | null = null;
      do {
        const body: RequestOf<Operations['verify']>['body'] = { store_id, after: next };
        const operation = listTotalOperations[service][verb] as Operations[Verb];
        const answer: Walked = await admin.platform.call(operation, { body } as never, undefined, answerLimitMs);
        result.answers.push(answer as ReplyOf<Operations[Verb]>);
        result.stores += answer.stores;
        left = answer.left;
        next = answer.next;
      } while (next !== null);
    } finally {
      progress?.stop();
    }
    results.push(result);
  }
  return results;
}
