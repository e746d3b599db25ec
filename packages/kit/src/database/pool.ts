import type { Log } from '../process/log.ts';
import type { Client } from './client.ts';
import { isLostConnection, isStalePlan, timedOut, unavailable } from './failures.ts';

/** A bounded number of one-connection clients. Each is lent to one operation at a time. */
export type Pool = {
  /**
   * Lends a client to `work` until it settles or the deadline (epoch ms) passes. A client whose operation missed its
   * deadline is closed and replaced, never lent again. Of the free clients, one that already shows `store` comes first.
   * Of the work that waits, what `isFirst` gets a client before all other.
   *
   * @throws AppError `service_unavailable` when the queue is full or no client is free and open in time,
   * `upstream_timeout` when the deadline passes while `work` runs
   */
  use<T>(deadline: number, work: (client: Client) => Promise<T>, options?: UseOptions): Promise<T>;
  stats(): PoolStats;
  /** Lends no more clients, waits up to `limitMs` (default 5,000) for running operations, then closes theirs. */
  close(limitMs?: number): Promise<void>;
};

type UseOptions = { readonly store?: string | undefined; readonly isFirst?: boolean | undefined };

export type PoolStats = {
  readonly size: number;
  readonly busy: number;
  readonly waiting: number;
  /** When PostgreSQL last answered an operation, by `performance.now()`. */
  readonly answeredAtMs: number;
};

type Waiter = {
  readonly deadline: number;
  readonly store: string | undefined;
  give(client: Client): void;
  refuse(): void;
};

/** A client that was not used for this long is closed. */
const idleMs = 60_000;

export function createPool(options: {
  size: number;
  /** How many operations may wait for a client; more are rejected at once. */
  queue: number;
  name: string;
  log: Log;
  /** The age at which a client is replaced, or up to a quarter of it earlier, so that not all are replaced at once. */
  lifetimeMs?: number;
  /** A client has ended that was not to end: PostgreSQL could not be reached, closed it, or did not answer in time. */
  onFault?: (() => void) | undefined;
  clients: { readonly hosts: number; create(onBroken: () => void): Client };
}): Pool {
  const { lifetimeMs, clients } = options;
  const old = new WeakSet<Client>();
  /** When each client came back. The client that came back last is lent first, so the others become idle. */
  const freeSinceMs = new WeakMap<Client, number>();
  let closingIdle: NodeJS.Timeout | undefined;
  const all = new Set<Client>();
  const free: Client[] = [];
  const [first, others] = [new Set<Waiter>(), new Set<Waiter>()];
  const queues = [first, others];
  const countWaiting = () => first.size + others.size;
  let closing = false;
  let idle = () => {};
  let reachable = true;
  let answeredAtMs = Number.NEGATIVE_INFINITY;

  function create(): Client {
    const client: Client = clients.create(() => {
      clearTimeout(timer);
      all.delete(client);
      const index = free.indexOf(client);
      if (index >= 0) free.splice(index, 1);
      if (!old.has(client) && !closing) options.onFault?.();
      serveNext();
    });
    const timer = lifetimeMs && setTimeout(() => retire(client), lifetimeMs * (0.75 + Math.random() * 0.25)).unref();
    all.add(client);
    return client;
  }

  /** Closes a free client now, and one that is lent when it comes back. */
  function retire(client: Client): void {
    old.add(client);
    const index = free.indexOf(client);
    if (index < 0) return;
    free.splice(index, 1);
    void client.end();
  }

  /** Closes free clients that were not used for a minute, except for one: PostgreSQL has a process for each. */
  function closeIdle(): void {
    closingIdle = undefined;
    const before = performance.now() - idleMs;
    for (const client of free.slice(0, -1)) if ((freeSinceMs.get(client) ?? 0) <= before) retire(client);
    closeIdleLater();
  }

  function closeIdleLater(): void {
    if (free.length > 1) closingIdle ??= setTimeout(closeIdle, idleMs).unref();
  }

  /** A free client, or a new one below the maximum. */
  function available(store: string | undefined): Client | undefined {
    const suited = store === undefined ? -1 : free.findLastIndex((client) => client.store === store);
    const [client] = free.splice(suited, 1);
    return client ?? (all.size < options.size ? create() : undefined);
  }

  function serveNext(): void {
    if (all.size === free.length) idle();
    for (const queue of queues) {
      for (const waiter of queue) {
        // Its timer may not have fired yet. Late work would only cost another connection.
        if (waiter.deadline <= Date.now()) {
          waiter.refuse();
          continue;
        }
        const client = available(waiter.store);
        if (client) {
          queue.delete(waiter);
          waiter.give(client);
        }
        return;
      }
    }
  }

  function acquire(deadline: number, { store, isFirst }: UseOptions): Promise<Client> {
    if (closing || Date.now() >= deadline) return Promise.reject(unavailable());
    const client = available(store);
    if (client) return Promise.resolve(client);
    if (countWaiting() >= options.queue) return Promise.reject(unavailable());
    const queue = isFirst ? first : others;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => waiter.refuse(), deadline - Date.now());
      const waiter: Waiter = {
        deadline,
        store,
        give(given) {
          clearTimeout(timer);
          resolve(given);
        },
        refuse() {
          clearTimeout(timer);
          queue.delete(waiter);
          reject(unavailable());
        },
      };
      queue.add(waiter);
    });
  }

  function release(client: Client): void {
    if (client.broken) return;
    free.push(client);
    freeSinceMs.set(client, performance.now());
    if (old.has(client)) retire(client);
    closeIdleLater();
    serveNext();
  }

  function noteReachable(now: boolean, error?: unknown): void {
    if (now === reachable || closing) return;
    reachable = now;
    if (now) options.log.info({ pool: options.name }, 'PostgreSQL answers again');
    // The checks warn, once for all pools.
    else options.log.info({ pool: options.name, err: error }, 'PostgreSQL does not answer');
  }

  /** No work was sent over a client that did not open, so it runs on the next host. */
  async function use<T>(deadline: number, work: (client: Client) => Promise<T>, asked: UseOptions = {}): Promise<T> {
    for (let host = 1; ; host++) {
      const client = await acquire(deadline, asked);
      try {
        return await lend(client, deadline, work);
      } catch (error) {
        if (client.opened || host >= clients.hosts || Date.now() >= deadline) throw error;
      }
    }
  }

  async function lend<T>(client: Client, deadline: number, work: (client: Client) => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => {
          // No work was sent over a client that is not open.
          reject(client.opened ? timedOut() : unavailable());
          client.destroy();
        },
        Math.max(0, deadline - Date.now()),
      );
    });
    try {
      const working = client.opened ? work(client) : client.assertWritable().then(() => work(client));
      const result = await Promise.race([working, limit]);
      noteReachable(true);
      answeredAtMs = performance.now();
      return result;
    } catch (error) {
      if (isLostConnection(error)) noteReachable(false, error);
      if (isLostConnection(error) || isStalePlan(error)) client.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
      release(client);
    }
  }

  return {
    use,
    stats: () => ({ size: options.size, busy: all.size - free.length, waiting: countWaiting(), answeredAtMs }),
    async close(limitMs = 5000) {
      closing = true;
      clearTimeout(closingIdle);
      for (const waiter of queues.flatMap((queue) => [...queue])) waiter.refuse();
      if (all.size > free.length) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          idle = resolve;
          timer = setTimeout(resolve, limitMs);
        });
        clearTimeout(timer);
      }
      await Promise.all([...all].map((client) => (free.includes(client) ? client.end() : client.destroy())));
    },
  };
}
