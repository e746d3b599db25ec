import { Agent as HttpAgent, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { createBoundedCache } from '../process/bounded-cache.ts';
import { mayBePlaintext } from '../process/plaintext.ts';
import { createNames } from './names.ts';

/** Sends requests to addresses that stores choose, but never into a private network. */
export type Egress = {
  /** Like the global `fetch`, but follows no redirect. @throws TypeError with an `AddressRefused` as its cause */
  readonly fetch: typeof fetch;
  /** The way of a request of `node:http` or `node:https`. @throws AddressRefused */
  wayTo(url: URL): Pick<RequestOptions, 'agent' | 'lookup'>;
  /**
   * Checks an address that is stored for later requests. A name whose look-up fails or outlasts the signal passes, because
   * every connection checks again. @throws AddressRefused
   */
  check(url: URL, signal: AbortSignal): Promise<void>;
  /** Whether secrets may be sent to this address: over https, or to this machine or a host that the operator allows. */
  isPrivate(url: URL): boolean;
};

/** Stores share connections to an origin, but each waits for its own names only. */
export type EgressOfStores = Pick<Egress, 'isPrivate'> & { forStore(storeId: string): Egress };

export type EgressOptions = {
  /** Names, addresses and ranges of private networks that requests may lead to, separated by commas. */
  readonly allowHosts?: string | undefined;
  /** Hosts that may be reached without TLS, as in `mayBePlaintext`. */
  readonly plaintextHosts?: string | undefined;
  /** `DNS_SERVERS`: the name servers for the names that stores choose. Default: those of the system. */
  readonly dnsServers?: string | undefined;
};

/** The address is in a private network, or the connection would have no TLS. No byte was sent. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/**
 * Everything that is not globally reachable: https://www.iana.org/assignments/iana-ipv4-special-registry and
 * https://www.iana.org/assignments/iana-ipv6-special-registry. IPv6 has one globally reachable range, `2000::/3`.
 */
const privateRanges4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
];
const privateRanges6 = ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const connectLimitMs = 4_000;
/**
 * How long a connection is kept without a request, unless the server asks for less. Servers close theirs after 5 s (Node,
 * Apache) or later: a request that meets such a close may or may not have been served. As long as the default of undici,
 * which `fetch` has.
 */
const idleMs = 4_000;
/** Stores whose open connections of `fetch` are remembered. */
const storesKnown = 1_000;

/** The egress of the operator, and of each store. */
export function createEgress({ allowHosts = '', plaintextHosts, dnsServers }: EgressOptions): Egress & EgressOfStores {
  // Two lists, because a list with `::/3` contains every IPv4 address, as an IPv6 address that maps it.
  const closed = { 4: rangesOf(privateRanges4), 6: rangesOf(privateRanges6) };
  const entries = allowHosts.toLowerCase().split(',');
  const names = new Set(entries.map((entry) => entry.trim()));
  const allowed = rangesOf(entries);

  const isAllowed = (host: string, address: string): boolean =>
    names.has(host) || has(allowed, address) || !has(closed[isIP(address) === 6 ? 6 : 4], address);

  /** Checks what is known without a look-up. The look-up checks the addresses of a name. */
  const check = (host: string, isSecure: boolean): void => {
    const name = host.replace(/^\[|\]$/g, '').toLowerCase();
    if (!isSecure && !mayBePlaintext(name, plaintextHosts)) throw new AddressRefused('the address has no TLS');
    if (isIP(name) !== 0 && !isAllowed(name, name)) throw refusedAddress();
  };

  const findAddresses = createNames({
    servers: dnsServers,
    isOperators: (name) => names.has(name) || mayBePlaintext(name, plaintextHosts),
  });
  const isPrivate = ({ protocol, hostname }: URL): boolean =>
    protocol === 'https:' || (protocol === 'http:' && mayBePlaintext(hostname, plaintextHosts));
  const keeping = { keepAlive: true, timeout: idleMs };
  const agents = { plain: new HttpAgent(keeping), secure: new HttpsAgent(keeping) };

  const openFor = (store: string): Egress => {
    // The connection uses the address that this checks, so a name that changes its address meanwhile gains nothing.
    const lookup: LookupFunction = (host, { all }, callback) => {
      findAddresses(store, host).then(
        (addresses) => {
          const open = addresses.filter(({ address }) => isAllowed(host.toLowerCase(), address));
          const [first] = open;
          if (first === undefined) callback(refusedAddress(), []);
          else if (all) callback(null, open);
          else callback(null, first.address, first.family);
        },
        (error) => callback(error, []),
      );
    };
    // Imported by the first request: a process that sends none is several megabytes smaller.
    const open = async () => {
      const { Agent, buildConnector, fetch: fetchWith } = await import('undici');
      const connect = buildConnector({ lookup, timeout: connectLimitMs });
      const dispatcher = new Agent({
        keepAliveTimeout: idleMs,
        connect(options, callback) {
          try {
            check(options.hostname, options.protocol === 'https:');
          } catch (error) {
            return callback(error as Error, null);
          }
          return connect(options, callback);
        },
      });
      return { fetchWith, dispatcher };
    };
    let opening: ReturnType<typeof open> | undefined;
    return {
      // The types of undici and of Node differ only in name.
      fetch: (async (input: string | URL, init: RequestInit = {}) => {
        opening ??= open();
        const { fetchWith, dispatcher } = await opening;
        return await fetchWith(input, { ...init, redirect: 'manual', dispatcher } as never);
      }) as unknown as typeof fetch,
      wayTo(url) {
        const isSecure = url.protocol === 'https:';
        check(url.hostname, isSecure);
        return { agent: isSecure ? agents.secure : agents.plain, lookup };
      },
      async check(url, signal) {
        check(url.hostname, url.protocol === 'https:');
        if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return;
        const found = new Promise<Error | null>((resolve) => {
          signal.addEventListener('abort', () => resolve(null), { once: true });
          lookup(url.hostname, {}, resolve);
        });
        const error = await found;
        if (error instanceof AddressRefused) throw error;
      },
      isPrivate,
    };
  };

  const known = createBoundedCache<string, Egress>(storesKnown);
  return {
    ...openFor(''),
    forStore(storeId) {
      const egress = known.get(storeId) ?? openFor(storeId);
      known.set(storeId, egress);
      return egress;
    },
  };
}

const refusedAddress = () => new AddressRefused('the address is in a private network');

/** The addresses and ranges among the entries. */
function rangesOf(entries: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.trim().split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (isIP(address) === 0) continue;
    if (prefix === undefined) ranges.addAddress(address, family);
    else ranges.addSubnet(address, Number(prefix), family);
  }
  return ranges;
}

const has = (ranges: BlockList, address: string): boolean =>
  ranges.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
