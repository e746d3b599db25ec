import { lookup as lookUpAddresses } from 'node:dns';
import { type AgentOptions, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { buildConnector, Agent as FetchAgent, fetch as fetchWith } from 'undici';
import { mayBePlaintext } from '../process/plaintext.ts';

/** Sends requests to addresses that stores choose, but never into a private network. */
export type Egress = {
  /** Like the global `fetch`, but follows no redirect. @throws TypeError with an `AddressRefused` as its cause */
  readonly fetch: typeof fetch;
  /** The agent for a request of `node:http` or `node:https`. @throws AddressRefused */
  agentFor(url: URL): HttpAgent;
  /**
   * Checks an address that is stored for later requests. A name whose look-up fails or outlasts the signal passes, because
   * every connection checks again. @throws AddressRefused
   */
  check(url: URL, signal: AbortSignal): Promise<void>;
  /** Whether secrets may be sent to this address: over https, or to this machine or a host that the operator allows. */
  isPrivate(url: URL): boolean;
};

export type EgressOptions = {
  /** Names, addresses and ranges of private networks that requests may lead to, separated by commas. */
  readonly allowHosts?: string;
  /** Hosts that may be reached without TLS, as in `mayBePlaintext`. */
  readonly plaintextHosts?: string;
  /** Replaces the look-up of addresses, for tests. */
  readonly lookup?: typeof lookUpAddresses;
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

export function createEgress({ allowHosts = '', plaintextHosts, lookup = lookUpAddresses }: EgressOptions): Egress {
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

  // The connection uses the address that this checks, so a name that changes its address meanwhile gains nothing.
  const checkedLookup: LookupFunction = (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const open = addresses.filter(({ address }) => isAllowed(host.toLowerCase(), address));
      const [first] = open;
      if (first === undefined) return callback(refusedAddress(), []);
      return options.all ? callback(null, open) : callback(null, first.address, first.family);
    });
  };

  const connect = buildConnector({ lookup: checkedLookup, timeout: connectLimitMs });
  const dispatcher = new FetchAgent({
    connect(options, callback) {
      try {
        check(options.hostname, options.protocol === 'https:');
      } catch (error) {
        return callback(error as Error, null);
      }
      return connect(options, callback);
    },
  });
  const agentOptions: AgentOptions = { keepAlive: true, lookup: checkedLookup };
  const agents = { plain: new HttpAgent(agentOptions), secure: new HttpsAgent(agentOptions) };

  return {
    // The types of undici and of Node differ only in name.
    fetch: ((input: string | URL, init: RequestInit = {}) =>
      fetchWith(input, { ...init, redirect: 'manual', dispatcher } as never)) as unknown as typeof fetch,
    agentFor(url) {
      const isSecure = url.protocol === 'https:';
      check(url.hostname, isSecure);
      return isSecure ? agents.secure : agents.plain;
    },
    async check(url, signal) {
      check(url.hostname, url.protocol === 'https:');
      if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return;
      const found = new Promise<Error | null>((resolve) => {
        signal.addEventListener('abort', () => resolve(null), { once: true });
        checkedLookup(url.hostname, {}, resolve);
      });
      const error = await found;
      if (error instanceof AddressRefused) throw error;
    },
    isPrivate: ({ protocol, hostname }) =>
      protocol === 'https:' || (protocol === 'http:' && mayBePlaintext(hostname, plaintextHosts)),
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
