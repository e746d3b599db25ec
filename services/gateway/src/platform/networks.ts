import { isIPv6 } from 'node:net';

/** A network, and how many times the limit of the smallest one it has. */
export type Network = { readonly name: string; readonly share: number };

/** An IPv4 address in the form of IPv6 (RFC 4291, 2.5.5.2), or translated to it (RFC 6052, 2.1). */
const ipv4Prefixes = new Set(['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0']);

/**
 * The networks of an address: an IPv4 address, or the first 64, 56 and 48 bits of an IPv6 address. One device has all
 * addresses of the first, a home mostly the second, and a company the third with 65,536 of the first. A provider may also
 * give a /64 of one /48 to each of its customers, so the larger networks have more.
 */
export function networksOf(address: string): readonly Network[] {
  const groups = groupsOf(address);
  if (groups === undefined) return [{ name: address, share: 1 }];
  const [g0 = 0, g1 = 0, g2 = 0, g3 = 0, ...rest] = groups;
  const hex = (...parts: number[]) => parts.map((part) => part.toString(16)).join(':');
  if (ipv4Prefixes.has(hex(g0, g1, g2, g3, ...rest.slice(0, 2)))) {
    const name = rest.slice(2).flatMap((group) => [group >> 8, group & 255]);
    return [{ name: name.join('.'), share: 1 }];
  }
  return [
    { name: hex(g0, g1, g2, g3), share: 1 },
    { name: `${hex(g0, g1, g2, g3 & 0xff00)}/56`, share: 3 },
    { name: `${hex(g0, g1, g2)}/48`, share: 10 },
  ];
}

/** The eight groups of an IPv6 address; undefined: it is none. */
function groupsOf(address: string): number[] | undefined {
  if (!isIPv6(address)) return undefined;
  const bare = (address.split('%', 1)[0] ?? '').replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes) => {
    const [a, b, c, d] = bytes.slice(0, 4).map(Number) as [number, number, number, number];
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = '', tail] = bare.split('::');
  const split = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [first, last] = [split(head), split(tail ?? '')];
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array.from({ length: zeros }, () => 0), ...last];
}
