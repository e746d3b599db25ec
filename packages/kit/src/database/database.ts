import { setTimeout as pause } from 'node:timers/promises';
import type { EventActor } from '@mostrador/contracts/feed';
import type { Log } from '../process/log.ts';
import { type Origin, originOf } from '../rpc/actor.ts';
import { type Client, createClients, type ServerLimits, type Sql } from './client.ts';
import { codeOf, failureOf, isConsequence, isError, mayRunAgain, type Phase, TooLate } from './failures.ts';
import { createLookUps, type ShowStore, type Statement } from './look-ups.ts';
import { createPool, type Pool, type PoolStats } from './pool.ts';

export type { PoolStats } from './pool.ts';
export type { Sql };

/** Runs statements inside one transaction, and rejects them after its end. */
export type TransactionSql = Sql & {
  readonly inTransaction: true;
  /** Who caused the transaction, and with which request: those of its scope. Public events tell it. */
  readonly origin: Origin;
  /**
   * Sends a statement whose result the work does not need. The commit is sent without a wait for it, which saves a round
   * trip. If the statement fails, nothing is committed, and `write` throws its error.
   */
  readonly withCommit: (statement: Statement<readonly unknown[]>) => void;
};

/** The deadline (epoch ms), and who does the work. Without an actor the service itself does. */
export type SystemScope = {
  readonly deadline: number;
  readonly actor?: EventActor | null;
  readonly requestId?: string;
  /** The trace that the work belongs to. Undefined: that of the caller. Null: none. */
  readonly traceparent?: string | null;
  /** Of a `write`: it gets a connection before the requests that wait for one. Few may be first at once. */
  readonly isFirst?: boolean;
  /** Of a `write`: PostgreSQL refuses the commit from then on (epoch ms). Default: the deadline. */
  readonly commitBefore?: number;
};
/** A scope with the store whose rows are visible. A request's context is one. */
export type StoreScope = SystemScope & { readonly storeId: string };

/**
 * PostgreSQL as a pool of connections. `read` and `write` throw what the work throws, or an AppError:
 * `service_unavailable` when nothing was done (no connection, a full queue, a lock timeout), `upstream_timeout` when
 * the deadline passed while the work ran or the answer of a COMMIT was lost.
 */
export type DatabaseOf<Scope> = {
  /** Runs one or a few reads without a transaction: each statement sees its own snapshot. */
  read<T>(scope: Scope, query: (sql: Sql) => PromiseLike<T>, options?: ReadOptions): Promise<T>;
  /**
   * Runs one statement that finds rows by a key, in well under a millisecond. Look-ups that begin in one tick of the event
   * loop share a connection, so a slow one delays the others, until the latest of their deadlines.
   */
  lookUp<Rows extends readonly unknown[]>(scope: Scope, statement: (sql: Sql) => Statement<Rows>): Promise<Rows>;
  /**
   * Runs one transaction (read committed). It runs again after a deadlock or a serialization failure, so `work` must do
   * nothing but statements. PostgreSQL itself refuses a commit that reaches it after the deadline. Then nothing was done.
   */
  write<T>(scope: Scope, work: (sql: TransactionSql) => PromiseLike<T>): Promise<T>;
  /**
   * Runs one statement that is a transaction by itself, as `write` runs a transaction, in one round trip. It may reach
   * PostgreSQL after the deadline, so a late effect must do no harm.
   */
  execute<Rows extends readonly unknown[]>(scope: Scope, statement: (sql: Sql) => Statement<Rows>): Promise<Rows>;
  /** Throws unless PostgreSQL answers within a second and takes writes. */
  ping(): Promise<void>;
  /** How far this process's clock is ahead of PostgreSQL's, in milliseconds. Throws as `ping` does. */
  clockSkewMs(): Promise<number>;
  stats(): PoolStats;
  /** Waits up to 5 s for running operations, then closes every connection. */
  close(): Promise<void>;
};

export type ReadOptions = {
  /**
   * For the page of a list whose rows one index has in the page's order. A connection plans it once, for any values, and
   * never with a sort. Otherwise PostgreSQL plans each page again, which takes as long as reading it, or keeps a plan that
   * is good for a store of average size.
   */
  readonly inIndexOrder?: boolean;
};

/** The runtime role's connections: row-level security shows only the rows of the scope's store. */
export type Database = DatabaseOf<StoreScope>;
/** The system role's connections: no store, and policies only on the tables that it needs. */
export type SystemDatabase = DatabaseOf<SystemScope>;

export type DatabaseOptions = {
  url: string;
  /** Maximum number of connections. */
  size: number;
  /** How many operations may wait for a connection; more are rejected at once. Default 64 per connection. */
  queue?: number;
  log: Log;
  /** Shown in pg_stat_activity. */
  name: string;
  /** The age at which a connection is closed and replaced. Default: no limit. */
  lifetimeMs?: number;
  /** Called whenever a connection ends that was not to end. */
  onFault?: () => void;
};

/** The limits of every connection for requests and jobs. */
export const serverLimits: ServerLimits = {
  statementTimeoutMs: 15_000,
  lockTimeoutMs: 5_000,
  idleInTransactionTimeoutMs: 10_000,
  transactionTimeoutMs: 30_000,
};
const mostRuns = 6;
const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Connections of a store-scoped role. Connects on first use, and again after any failure. */
export function createDatabase(options: DatabaseOptions): Database {
  return databaseOn<StoreScope>(openPool(options), {
    showStore: (client, { storeId }) => {
      if (client.store === storeId) return undefined;
      client.store = storeId;
      return settled(client, client.sql`select set_config('mostrador.store_id', ${storeId}, false)`);
    },
    settingsOf: ({ storeId }) => {
      if (!uuidForm.test(storeId)) throw new TypeError('the id of a store must be a UUID');
      return `set local mostrador.store_id = '${storeId}';`;
    },
  });
}

/** Connections of a system role, which never sets a store. */
export function createSystemDatabase(options: DatabaseOptions): SystemDatabase {
  return databaseOn<SystemScope>(openPool(options), {
    showStore: () => undefined,
    settingsOf: () => '',
  });
}

/** Whether a statement violated a unique constraint (`constraint`, when given). */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (codeOf(error) !== '23505') return false;
  return constraint === undefined || (error as { constraint_name?: string }).constraint_name === constraint;
}

/** Whether a row violated the exclusion constraint of this name. */
export const isExclusionViolation = (error: unknown, constraint: string): boolean =>
  codeOf(error) === '23P01' && (error as { constraint_name?: string }).constraint_name === constraint;

function openPool({ url, size, queue, log, name, lifetimeMs, onFault }: DatabaseOptions): Pool {
  return createPool({
    size,
    queue: queue ?? size * 64,
    name,
    log,
    lifetimeMs,
    onFault,
    clients: createClients({ url, name, limits: serverLimits }),
  });
}

type Openings<Scope> = {
  showStore: ShowStore<Scope>;
  /** A statement that makes the scope's rows visible to the transaction. */
  settingsOf: (scope: Scope) => string;
};

/** How the next statements on the client are planned. */
function planInIndexOrder(client: Client, inIndexOrder: boolean): PromiseLike<unknown> | undefined {
  if (client.inIndexOrder === inIndexOrder) return undefined;
  client.inIndexOrder = inIndexOrder;
  const mode = inIndexOrder ? 'force_generic_plan' : 'auto';
  const others = inIndexOrder ? 'off' : 'on';
  return settled(
    client,
    client.sql`
      select set_config('plan_cache_mode', ${mode}, false), set_config('enable_sort', ${others}, false),
        set_config('enable_incremental_sort', ${others}, false), set_config('enable_seqscan', ${others}, false),
        set_config('enable_bitmapscan', ${others}, false)`,
  );
}

/** A connection whose settings are not what they should be is never lent again. */
const settled = (client: Client, setting: Statement<readonly unknown[]>): PromiseLike<unknown> =>
  setting.execute().then(undefined, (error) => {
    client.destroy();
    throw error;
  });

function databaseOn<Scope extends SystemScope & { storeId?: string }>(
  pool: Pool,
  openings: Openings<Scope>,
): DatabaseOf<Scope> {
  const lookUp = createLookUps(pool, openings.showStore);
  let checking: Promise<number> | undefined;
  /** One round trip for the checks that begin together. */
  const check = (): Promise<number> => {
    checking ??= checkWith(pool, (client) => client.assertWritable()).finally(() => {
      checking = undefined;
    });
    return checking;
  };
  return {
    async read(scope, query, { inIndexOrder = false } = {}) {
      const work = async (client: Client) => {
        const scoped = lend<Sql>(client.sql);
        try {
          // All are queued in one tick on one connection, so no other statement runs between them.
          const prepared = [openings.showStore(client, scope), planInIndexOrder(client, inIndexOrder)];
          const [result] = await Promise.all([query(scoped.sql), ...prepared]);
          return result;
        } finally {
          scoped.end();
        }
      };
      try {
        return await pool.use(scope.deadline, work, { store: scope.storeId });
      } catch (error) {
        throw failureOf(error, 'before commit');
      }
    },

    async lookUp(scope, statement) {
      try {
        return await lookUp(scope, statement);
      } catch (error) {
        throw failureOf(error, 'before commit');
      }
    },

    write: (scope, work) =>
      committed(scope, (progress) =>
        pool.use(scope.deadline, (client) => transaction(client, scope, openings, work, progress), {
          isFirst: scope.isFirst,
        }),
      ),

    execute: (scope, statement) =>
      committed(scope, (progress) =>
        pool.use(
          scope.deadline,
          async (client) => {
            const prepared = [openings.showStore(client, scope), planInIndexOrder(client, false)];
            progress.phase = 'committing';
            try {
              const [rows] = await Promise.all([statement(client.sql).execute(), ...prepared]);
              return rows;
            } catch (error) {
              if (isError(error)) progress.phase = 'before commit';
              throw error;
            }
          },
          { store: scope.storeId },
        ),
      ),

    ping: async () => void (await check()),
    clockSkewMs: check,
    stats: pool.stats,
    close: () => pool.close(),
  };
}

/** Runs a transaction, and again after a deadlock or a serialization failure. */
async function committed<T>(scope: SystemScope, attempt: (progress: { phase: Phase }) => Promise<T>): Promise<T> {
  for (let run = 1; ; run++) {
    const progress: { phase: Phase } = { phase: 'before commit' };
    try {
      return await attempt(progress);
    } catch (error) {
      const waitMs = Math.random() * 10 * 2 ** run;
      const again = mayRunAgain(error) && run < mostRuns && Date.now() + waitMs < scope.deadline;
      if (!again) throw failureOf(error, progress.phase);
      await pause(waitMs);
    }
  }
}

/** Runs `work` within a second, for no request. */
async function checkWith<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  try {
    return await pool.use(Date.now() + 1000, work);
  } catch (error) {
    throw failureOf(error, 'before commit');
  }
}

async function transaction<Scope extends SystemScope, T>(
  client: Client,
  scope: Scope,
  openings: Openings<Scope>,
  work: (sql: TransactionSql) => PromiseLike<T>,
  progress: { phase: Phase },
): Promise<T> {
  const { sql } = client;
  // If this process stalls, the server ends the transaction 250 ms after the deadline and releases its locks. The timer of
  // the connection's own limit runs since BEGIN, and only 0 stops it: another value alone would change nothing.
  const transactionTimeout = Math.max(1, Math.round(scope.deadline - Date.now()) + 250);
  const limit = `set local transaction_timeout = 0; set local transaction_timeout = ${transactionTimeout};`;
  const scoped = lend<TransactionSql>(sql, originOf(scope));
  // The opening and the work's first statement are sent together; `execute` queues the opening now.
  const opening = `begin; ${limit} ${openings.settingsOf(scope)} select clock_timestamp() as now`;
  const opened = Promise.all([planInIndexOrder(client, false), clockOf(sql.unsafe(opening).execute())]);
  opened.catch(() => {}); // awaited below, unless the work throws at once
  try {
    const [[, clock], result] = await Promise.all([opened, work(scoped.sql)]);
    scoped.end();
    progress.phase = 'committing';
    await commitBefore(sql, scope.commitBefore ?? scope.deadline, clock).catch((error) => {
      if (!isConsequence(error)) throw error;
      const cause = scoped.failure();
      progress.phase = 'before commit';
      if (cause !== undefined && cause === scoped.failureWithCommit()) throw cause;
      throw new Error('PostgreSQL rolled the transaction back: the work continued after a failed statement', { cause });
    });
    return result;
  } catch (error) {
    scoped.end();
    if (isError(error) || error instanceof TooLate) progress.phase = 'before commit';
    // Without a connection postgres.js may never answer the rollback, so BEGIN comes first.
    if (progress.phase === 'before commit')
      await opened.then(() => sql.unsafe('rollback')).catch(() => client.destroy());
    // When statements are sent together, the promise of the second may be rejected first.
    throw isConsequence(error) ? (scoped.failure() ?? error) : error;
  }
}

/** The time of the server, and when this process read it by its own clock (both epoch ms). */
type Clock = { readonly serverMs: number; readonly readMs: number };

async function clockOf(opening: PromiseLike<readonly unknown[]>): Promise<Clock> {
  const [row] = (await opening).at(-1) as [{ now: Date }];
  return { serverMs: row.now.getTime(), readMs: Date.now() };
}

/**
 * Commits, unless the moment has passed when the server begins with it. The clocks may differ, so the server gets the
 * moment by its own clock. It told its time before this process read it, so the moment comes early by the way of that
 * answer, and never late.
 */
async function commitBefore(sql: Sql, moment: number, { serverMs, readMs }: Clock): Promise<void> {
  const until = new Date(serverMs + moment - readMs).toISOString();
  await sql.unsafe(`select 1 / (clock_timestamp() < '${until}')::int; commit`).catch((error) => {
    throw codeOf(error) === '22012' ? new TooLate('the deadline passed before the commit', { cause: error }) : error;
  });
}

/**
 * `sql` for one operation only: afterwards the connection belongs to another. `failure` gives the last error of a
 * statement that is not the consequence of another one's, and `failureWithCommit` that of `withCommit`.
 */
function lend<Lent extends Sql>(
  sql: Sql,
  origin?: Origin,
): { sql: Lent; end(): void; failure(): unknown; failureWithCommit(): unknown } {
  let over = false;
  let failure: unknown;
  let failureWithCommit: unknown;
  const check = () => {
    if (over) throw new Error('a statement ran after its operation had ended; await every statement');
  };
  const note = (error: unknown) => {
    if (!isConsequence(error)) failure = error;
  };
  /** Learns of a failure. The `then` of postgres.js would run the statement, and this may be a part of one. */
  const watched = <Made>(made: Made): Made => {
    if (made instanceof Promise) void Promise.prototype.then.call(made, undefined, note);
    return made;
  };
  const call = (first: TemplateStringsArray, ...rest: never[]) => {
    check();
    return watched(sql(first, ...rest));
  };
  const unsafe: Sql['unsafe'] = (...parameters) => {
    check();
    return watched(sql.unsafe(...parameters));
  };
  // Sent now: the commit, which is sent next, comes after it on the connection.
  const withCommit: TransactionSql['withCommit'] = (statement) =>
    void statement.execute().then(undefined, (error) => {
      failureWithCommit ??= error;
    });
  const { json, array, typed, types, notify, file } = sql;
  const lent = Object.assign(call, {
    json,
    array,
    typed,
    types,
    notify,
    file,
    unsafe,
    inTransaction: true,
    origin,
    withCommit,
  });
  return {
    sql: lent as unknown as Lent,
    end: () => {
      over = true;
    },
    failure: () => failure,
    failureWithCommit: () => failureWithCommit,
  };
}
