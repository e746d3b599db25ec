import {
  listWaitingDeliveries,
  listWaitingMessages,
  listWaitingScheduling,
  listWaiting as operation,
  WaitingPlace,
  type WaitingService,
  waitingKinds,
} from '@mostrador/contracts';
import { encodeCursor, readCursor } from '@mostrador/kit/database/paging';
import { AppError } from '@mostrador/kit/rpc/errors';
import { comparePlaces } from '@mostrador/kit/step/waiting';
import type { Dependencies } from '../dependencies.ts';
import type { OwnHandler } from '../own-handler.ts';

const operations = {
  scheduling: listWaitingScheduling,
  messaging: listWaitingMessages,
  events: listWaitingDeliveries,
} as const satisfies Record<WaitingService, unknown>;

const defaultLimit: number = operation.request.query.properties.limit.default;
/** How long a service may take. One that hangs must not take the answers of the others with it. */
const limitMs = 3_000;

/** Asks every service that owns a kind, and merges the answers. A service that does not answer is named. */
export const listWaiting =
  ({ rpc }: Pick<Dependencies, 'rpc'>): OwnHandler<typeof operation> =>
  async (context, { query: { kind, cursor, limit = defaultLimit } }) => {
    const filters = { kind };
    const after = readCursor({ cursor }, filters, WaitingPlace);
    // One more than the page has shows whether there is another page.
    const body = { ...(kind && { kind }), ...(after && { after }), limit: limit + 1 };
    const asked = { ...context, deadline: Math.min(context.deadline, Date.now() + limitMs) };
    const services = kind ? [waitingKinds[kind]] : (Object.keys(operations) as WaitingService[]).sort();
    const answers = await Promise.all(
      services.map(async (service) => {
        try {
          return { service, data: (await rpc.call(operations[service], { body }, asked)).data };
        } catch (error) {
          if (isUnavailable(error)) return { service, data: null };
          throw error;
        }
      }),
    );
    const found = answers.flatMap(({ data }) => data ?? []).sort(comparePlaces);
    const data = found.slice(0, limit);
    const last = found.length > limit ? data.at(-1) : undefined;
    return {
      data,
      next_cursor: last ? encodeCursor({ since: last.since, kind: last.kind, id: last.id }, filters) : null,
      unavailable: answers.flatMap(({ service, data }) => (data === null ? [service] : [])),
    };
  };

const isUnavailable = (error: unknown): boolean =>
  error instanceof AppError && ['service_unavailable', 'upstream_timeout', 'internal_error'].includes(error.code);
