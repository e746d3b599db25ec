import { setTimeout as delay } from 'node:timers/promises';
import { type Event, listEvents, maxPageSize, type RequestOf } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { validateRequest } from '@mostrador/kit/rpc/validate';
import type { Command } from 'commander';
import { type Admin, existingStore, verb } from '../admin.ts';
import { wholeNumber } from '../check.ts';
import { UsageError } from '../exit.ts';
import { shown } from '../terminal.ts';

type Options = { store?: string; follow?: boolean; types?: string; entity?: string; after?: unknown; json?: boolean };
type Query = NonNullable<RequestOf<typeof listEvents>['query']>;

/** How many events before the end of the feed it begins without `--after`. */
const defaultEvents = 20;
/** How often `--follow` asks for new events. Only the gateway hears when a feed has grown. */
const everyMs = 1_000;

const store = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60';

export const tailEventsCommand = (admin: Admin): Command =>
  verb('tail', "Print the newest events of a store's feed", [
    `event tail --store ${store}`,
    `event tail --store ${store} --follow --types message.received,message.failed`,
    `event tail --store ${store} --after 0 --json`,
  ])
    .option('--store <id>', 'the store (required)')
    .option('--follow', 'wait for further events until Ctrl-C')
    .option('--types <list>', 'only events of these types, separated by commas')
    .option('--entity <id>', 'only events of this resource; a conversation has the id of its lead')
    .option(
      '--after <sequence>',
      `begin after this event; 0: the oldest (default: ${defaultEvents} before the end)`,
      wholeNumber,
    )
    .addHelpText(
      'after',
      `
Each line has the event's number in the feed, its time, its type, and the kind and id of its resource. With --json each
line is the whole event as JSON, with what the resource shows of customers.

Exit code 0, also after Ctrl-C.`,
    )
    .action(async (options: Options) => {
      const { types, entity, after } = options;
      const filters = {
        ...(types === undefined ? {} : { types }),
        ...(entity === undefined ? {} : { entity_id: entity }),
      };
      const query = checkedQuery({ ...filters, ...(after === undefined ? {} : { after }), limit: maxPageSize });
      const { id: storeId } = await existingStore(admin, options.store);
      const { signal, release } = admin.terminal.interruption();
      try {
        const { follow = false, json = false } = options;
        // The check fills in the default of `after`, which is not the command's.
        await tail(admin, { storeId, query, hasStart: after !== undefined, follow, json, signal });
      } finally {
        release();
      }
    });

const optionOf: Readonly<Record<string, string>> = { entity_id: '--entity' };

function checkedQuery(query: Record<string, unknown>): Query {
  const faults = validateRequest(listEvents, { query });
  if (faults.length === 0) return query as Query;
  throw new UsageError(
    faults.map((fault) => {
      const name = 'name' in fault ? fault.name : 'after';
      return `${optionOf[name] ?? `--${name}`} ${fault.detail}`;
    }),
  );
}

type Tail = {
  storeId: string;
  query: Query;
  /** Whether `query.after` says where to begin. */
  hasStart: boolean;
  follow: boolean;
  json: boolean;
  signal: AbortSignal;
};

async function tail(admin: Admin, { storeId, query, hasStart, follow, json, signal }: Tail): Promise<void> {
  const read = (request: Query) => admin.platform.call(listEvents, { query: request }, storeId);
  const { next: end } = await read({ after: -1, limit: 1 });
  let after = (hasStart ? query.after : undefined) ?? (await beginBefore(end, read));
  let away = false;
  while (!signal.aborted && (follow || after < end)) {
    const page = await read({ ...query, after }).catch((error: unknown) => {
      if (!follow || !isPassing(error)) throw error;
      if (!away) admin.terminal.note('The events service does not answer. Trying again every second.');
      return undefined;
    });
    away = page === undefined;
    for (const event of page?.data ?? []) admin.terminal.print(json ? JSON.stringify(event) : lineOf(event));
    const isEnd = page === undefined || page.next === after;
    if (page) after = page.next;
    if (isEnd && !follow) return;
    if (isEnd) await delay(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** What to send as `after` for the last events: the oldest event that the feed still has may be younger. */
async function beginBefore(end: number, read: (query: Query) => Promise<unknown>): Promise<number> {
  const after = Math.max(0, end - defaultEvents);
  try {
    await read({ after, limit: 1 });
    return after;
  } catch (error) {
    if (error instanceof AppError && error.code === 'cursor_expired') return 0;
    throw error;
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'service_unavailable' || error.code === 'upstream_timeout');

const lineOf = ({ sequence, created_at, type, entity }: Event): string =>
  [String(sequence).padStart(8), created_at, shown(type).padEnd(20), shown(entity.type), entity.id].join('  ');
