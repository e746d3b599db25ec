import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createRequestQueue } from '../rpc/request-queue.ts';

/** Finds the addresses of a name that a store chose. @throws NameUnresolved */
export type FindAddresses = (store: string, name: string) => Promise<readonly LookupAddress[]>;

export type NamesOptions = {
  /** The name servers: addresses with an optional port, separated by commas. Default: those of the system. */
  readonly servers?: string | undefined;
  /** Whether the operator chose this name. The system looks it up, so `/etc/hosts` and search domains count. */
  readonly isOperators: (name: string) => boolean;
};

/** The name has no address, or no name server says so in time. `code` is that of `node:dns`, or `EBUSY`. */
export class NameUnresolved extends Error {
  override readonly name = 'NameUnresolved';
  readonly code: string;

  constructor(code: string, options: ErrorOptions = {}) {
    super('the name could not be resolved', options);
    this.code = code;
  }
}

/** A connection that waits longer for its name has failed anyway. It includes the wait in the queue of the store. */
const limitMs = 4_000;
/** A server that does not answer is asked again. */
const tries = { timeout: 1_000, tries: 3, maxTimeout: 1_500 };
/** How long the addresses of one family wait for those of the other (RFC 8305, 3, allows 50 ms for IPv6). */
const otherFamilyMs = 200;

/**
 * Names of stores are asked over sockets (c-ares), and not by the system's `getaddrinfo`. That occupies a thread until it
 * returns, and libuv lends two of its threads to look-ups: two names whose servers are silent would stop every look-up of
 * the process, for PostgreSQL and NATS too. A store has few look-ups at once, and its further ones wait behind its own.
 */
const storeLimits = { concurrency: 500, queue: 5_000, perStore: 8 };
/** The names of the operator leave one of the two threads to the rest of the process. */
const operatorLimits = { concurrency: 1, queue: 1_000 };

/** @throws TypeError when `servers` are not addresses */
export function createNames({ servers, isOperators }: NamesOptions): FindAddresses {
  const ask = askServers(servers?.split(',').map((server) => server.trim()));
  const queues = { store: createRequestQueue(storeLimits), operator: createRequestQueue(operatorLimits) };
  /** Look-ups that wait or run. Connections that begin meanwhile share them. */
  const pending = new Map<string, Promise<readonly LookupAddress[]>>();

  const begin = (store: string, name: string): Promise<readonly LookupAddress[]> => {
    const [queue, find] = isOperators(name) ? [queues.operator, askSystem] : [queues.store, ask];
    const limit = AbortSignal.timeout(limitMs);
    return new Promise((resolve, reject) => {
      limit.addEventListener('abort', () => reject(new NameUnresolved('ETIMEOUT')), { once: true });
      queue.offer(store, {
        run: async () => {
          if (!limit.aborted) await find(name, limit).then(resolve, (cause) => reject(unresolved(cause)));
        },
        refuse: () => reject(new NameUnresolved('EBUSY')),
      });
    });
  };

  return (store, host) => {
    const name = host.toLowerCase();
    const key = isOperators(name) ? name : `${store} ${name}`;
    const running = pending.get(key);
    if (running) return running;
    const begun = begin(store, name).finally(() => pending.delete(key));
    pending.set(key, begun);
    return begun;
  };
}

const unresolved = (cause: unknown) => new NameUnresolved((cause as NodeJS.ErrnoException).code ?? 'EFAIL', { cause });

type Find = (name: string, limit: AbortSignal) => Promise<readonly LookupAddress[]>;

const askSystem: Find = (name) =>
  new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

function askServers(servers: readonly string[] | undefined): Find {
  // Each look-up has its own sockets: what it learns of a silent server changes nothing for other stores.
  const open = () => {
    const resolver = new Resolver(tries);
    if (servers) resolver.setServers(servers);
    return resolver;
  };
  // A fault in the setting stops the process when it starts.
  open();
  return async (name, limit) => {
    const resolver = open();
    const cancel = () => resolver.cancel();
    limit.addEventListener('abort', cancel, { once: true });
    try {
      return await eitherFamily([
        resolver.resolve4(name).then((found) => found.map((address) => ({ address, family: 4 }))),
        resolver.resolve6(name).then((found) => found.map((address) => ({ address, family: 6 }))),
      ]);
    } finally {
      limit.removeEventListener('abort', cancel);
      cancel();
    }
  };
}

/** The addresses of both families, IPv4 first. One that fails or is late does not hold up the other. */
async function eitherFamily(families: readonly Promise<LookupAddress[]>[]): Promise<LookupAddress[]> {
  const found: LookupAddress[][] = families.map(() => []);
  const each = families.map((family, index) =>
    family.then((addresses) => {
      found[index] = addresses;
    }),
  );
  const all = Promise.allSettled(each);
  try {
    await Promise.any(each);
  } catch (error) {
    throw mostTelling((error as AggregateError).errors);
  }
  await Promise.race([all, delay(otherFamilyMs)]);
  return found.flat();
}

/** Without an address of one family (`ENODATA`), the fault of the other one says more. */
const mostTelling = (errors: readonly NodeJS.ErrnoException[]): unknown =>
  errors.find(({ code }) => code !== 'ENODATA') ?? errors[0];
