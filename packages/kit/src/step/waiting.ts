import type {
  GiveUpWaiting,
  Operation,
  OperatorItem,
  OperatorKind,
  OperatorWaitingOperations,
  RequestOf,
  SkipReason,
  ValidationFault,
  WaitingChange,
  WaitingKind,
  WaitingOperations,
} from '@mostrador/contracts/core';
import { maxWaitingChange, maxWaitingStores, OperatorPlace } from '@mostrador/contracts/core';
import type { Database, Sql, SystemDatabase, TransactionSql } from '../database/database.ts';
import { decodeCursor, encodeCursor } from '../database/paging.ts';
import type { Relay } from '../outbox/relay.ts';
import type { StoreContext } from '../rpc/context.ts';
import { AppError, validationFailed } from '../rpc/errors.ts';
import type { Handler } from '../rpc/server.ts';
import { toInstant } from '../rpc/validate.ts';

/** Which rows of a kind to read, ordered by `since` and id. */
export type WaitingRows = {
  readonly after?: { readonly since: Date; readonly id: string };
  /** Only what waits since before this moment. */
  readonly before?: Date;
  readonly ids?: readonly string[];
  readonly limit: number;
};

/** What waits of one kind. A change runs in a transaction of its own, and takes the same locks as the claim of a step. */
export type WaitingSource = {
  find(sql: Sql, storeId: string, rows: WaitingRows): Promise<OperatorItem[]>;
  /** Stores after this one in which some may wait, in the order of their ids. For the system role. */
  findStores(systemSql: Sql, stores: { readonly after: string; readonly limit: number }): PromiseLike<StoreId[]>;
  /** Makes the next attempt due now, and wakes its workflow. `named`: the caller asked for this one, or for its reason. */
  retry(sql: TransactionSql, storeId: string, item: OperatorItem, asked: { named: boolean }): Promise<Changed>;
  giveUp(
    sql: TransactionSql,
    storeId: string,
    item: OperatorItem,
    asked: Pick<GiveUpWaiting, 'unknown_as'>,
  ): Promise<Changed>;
};

type StoreId = { readonly store_id: string };

/** `done`, or why a row was left as it is. */
export type Changed = 'done' | SkipReason;

type WaitingParts = {
  readonly database: Database;
  readonly systemDatabase: SystemDatabase;
  readonly relay: Pick<Relay, 'nudge'>;
  /** Called after the changes of a call are committed. */
  readonly afterChange?: (storeId: string, ids: readonly string[]) => void;
};

type HandlersOf<Operations extends Record<string, Operation>> = {
  readonly [Name in keyof Operations]: Handler<Operations[Name]>;
};

type Sources = Partial<Record<OperatorKind, WaitingSource>>;
type ListRequest = RequestOf<OperatorWaitingOperations['list']>;
type ChangeRequest = RequestOf<OperatorWaitingOperations['giveUp']>;

/** The time kept before the caller's deadline for the answer. */
const answeringMs = 1_000;

/**
 * The handlers of what waits in a service.
 *
 * @param sources what a store sees
 * @param operatorSources what only an operator sees
 */
export function waitingHandlers(
  sources: Partial<Record<WaitingKind, WaitingSource>>,
  parts: WaitingParts,
  operatorSources: Sources = {},
): { readonly store: HandlersOf<WaitingOperations>; readonly operator: HandlersOf<OperatorWaitingOperations> } {
  const all = { ...sources, ...operatorSources };
  return {
    // Its kinds are those of `sources`.
    store: handlersOf(sources, parts) as unknown as HandlersOf<WaitingOperations>,
    operator: {
      ...handlersOf(all, parts),
      stores: async ({ deadline }, { body: { kind, after } }) => {
        const asked = kind === undefined ? Object.values(all) : [sourceOf(all, kind)];
        const found = await parts.systemDatabase.read({ deadline }, (sql) =>
          Promise.all(asked.map((each) => each.findStores(sql, { after: after ?? lowestId, limit: maxWaitingStores }))),
        );
        const ids = [...new Set(found.flat().map(({ store_id }) => store_id))].sort();
        return { store_ids: ids.slice(0, maxWaitingStores) };
      },
    },
  };
}

const handlersOf = (sources: Sources, parts: WaitingParts): Omit<HandlersOf<OperatorWaitingOperations>, 'stores'> => ({
  list: async (context, { body: { kind, after, limit } }: ListRequest) => {
    const kinds = (Object.keys(sources) as OperatorKind[]).filter((one) => kind === undefined || one === kind);
    const pages = await parts.database.read(context, (sql) =>
      Promise.all(
        kinds.map((one) =>
          sourceOf(sources, one).find(sql, context.storeId, { ...(after && startOf(one, after)), limit }),
        ),
      ),
    );
    return { data: pages.flat().sort(comparePlaces).slice(0, limit) };
  },
  retry: async (context, { body }) => {
    const source = sourceOf(sources, body.kind);
    const named = body.ids !== undefined || body.filter?.reason === 'restored';
    return await changeAll(parts, context, { body, source }, (sql, item) =>
      source.retry(sql, context.storeId, item, { named }),
    );
  },
  giveUp: async (context, { body }) => {
    const source = sourceOf(sources, body.kind);
    const { unknown_as } = body;
    return await changeAll(parts, context, { body, source }, (sql, item) =>
      source.giveUp(sql, context.storeId, item, { unknown_as }),
    );
  },
});

/** The order of the list: the oldest first, then by kind and id. */
export const comparePlaces = (one: OperatorPlace, other: OperatorPlace): number =>
  compare(one.since, other.since) || compare(one.kind, other.kind) || compare(one.id, other.id);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const [lowestId, highestId] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/** Where the rows of a kind begin that come after a place of any kind. */
function startOf(kind: OperatorKind, place: OperatorPlace): Pick<WaitingRows, 'after'> {
  const order = compare(kind, place.kind);
  return { after: { since: toInstant(place.since), id: order === 0 ? place.id : order < 0 ? highestId : lowestId } };
}

function sourceOf(sources: Sources, kind: OperatorKind): WaitingSource {
  const source = sources[kind];
  if (!source) throw validationFailed([{ pointer: '#/kind', detail: 'does not belong to this service' }]);
  return source;
}

/**
 * Changes the rows that the body names, each in a transaction of its own: a call that is cut short has changed some, and
 * can be repeated. A dry run does the same work, and rolls each back.
 */
async function changeAll(
  { database, relay, afterChange }: WaitingParts,
  context: StoreContext,
  { body, source }: { body: ChangeRequest['body']; source: WaitingSource },
  change: (sql: TransactionSql, item: OperatorItem) => Promise<Changed>,
): Promise<WaitingChange> {
  const faults = faultsOf(body);
  if (faults.length > 0) throw validationFailed(faults);
  const { items, next, missing } = await choose(database, context, body, source);
  const changed: string[] = [];
  const skipped: WaitingChange['skipped'] = missing.map((id) => ({ id, why: 'not_waiting' as const }));
  let last: OperatorItem | undefined;
  for (const item of items) {
    if (isOutOfTime(context)) break;
    const result = await writeOrTry(database, context, body.dry_run, (sql) => change(sql, item));
    if (result === 'done') changed.push(item.id);
    else skipped.push({ id: item.id, why: result });
    last = item;
  }
  const left = items.slice(last === undefined ? 0 : items.indexOf(last) + 1);
  if (left.length > 0 && last === undefined) throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
  if (body.ids) skipped.push(...left.map(({ id }) => ({ id, why: 'out_of_time' as const })));
  if (changed.length > 0 && !body.dry_run) {
    afterChange?.(context.storeId, changed);
    relay.nudge();
  }
  const place = left.length > 0 ? last : next;
  return {
    matched: changed.length + skipped.length,
    done: changed.length,
    skipped,
    next_cursor: body.ids || place === undefined ? null : cursorOf(body, place),
  };
}

const isOutOfTime = ({ deadline }: StoreContext): boolean => Date.now() > deadline - answeringMs;

const filtersOf = ({ kind, filter }: ChangeRequest['body']) => ({ kind, ...filter });

const cursorOf = (body: ChangeRequest['body'], { since, kind, id }: OperatorPlace): string =>
  encodeCursor({ since, kind, id }, filtersOf(body));

function faultsOf({ kind, ids, filter, cursor, ...body }: ChangeRequest['body']) {
  const faults: ValidationFault[] = [];
  if ((ids === undefined) === (filter === undefined)) {
    faults.push({ pointer: '#', detail: 'must have exactly one of `ids` and `filter`' });
  }
  if (cursor !== undefined && filter === undefined) faults.push({ pointer: '#/cursor', detail: 'needs a `filter`' });
  if (body.unknown_as !== undefined && kind !== 'message') {
    faults.push({ pointer: '#/unknown_as', detail: 'is only for the kind `message`' });
  }
  return faults;
}

type Choice = {
  readonly items: readonly OperatorItem[];
  /** The ids that do not wait. */
  readonly missing: readonly string[];
  /** The last place that was looked at, when there is more. */
  readonly next: OperatorPlace | undefined;
};

/** The items that the body names, or the next that its filter matches. */
async function choose(
  database: Database,
  context: StoreContext,
  body: ChangeRequest['body'],
  source: WaitingSource,
): Promise<Choice> {
  const { storeId } = context;
  const limit = maxWaitingChange;
  if (body.ids) {
    const ids = [...new Set(body.ids.map((id) => id.toLowerCase()))];
    const items = await database.read(context, (sql) => source.find(sql, storeId, { ids, limit }));
    const found = new Set(items.map(({ id }) => id));
    return { items, missing: ids.filter((id) => !found.has(id)), next: undefined };
  }
  const { reason, older_than } = body.filter ?? {};
  const before = older_than === undefined ? {} : { before: toInstant(older_than) };
  const items: OperatorItem[] = [];
  // The other half of the time is for the changes: a call that only looks would find the same the next time.
  const until = Date.now() + (context.deadline - answeringMs - Date.now()) / 2;
  let place: OperatorPlace | undefined =
    body.cursor === undefined ? undefined : decodeCursor(body.cursor, filtersOf(body), OperatorPlace);
  for (;;) {
    const start: Pick<WaitingRows, 'after'> = place === undefined ? {} : startOf(body.kind, place);
    const page = await database.read(context, (sql) => source.find(sql, storeId, { ...start, ...before, limit }));
    for (const item of page) {
      if (items.length === limit) return { items, missing: [], next: place };
      if (reason === undefined || item.reason === reason) items.push(item);
      place = item;
    }
    if (page.length < limit) return { items, missing: [], next: undefined };
    if (Date.now() > until) return { items, missing: [], next: place };
  }
}

/** Runs the work in a transaction, which a dry run rolls back. */
async function writeOrTry(
  database: Database,
  context: StoreContext,
  dryRun: boolean,
  work: (sql: TransactionSql) => Promise<Changed>,
): Promise<Changed> {
  if (!dryRun) return await database.write(context, work);
  const undo = new Error('a dry run rolls back');
  let result: Changed = 'not_waiting';
  try {
    await database.write(context, async (sql) => {
      result = await work(sql);
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  return result;
}
