import { BlockList, isIPv6 } from 'node:net';
import type { Log } from '@mostrador/kit/process/log';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the library's
  interface FastifyInstance {
    readonly warnings: Warnings;
  }
}

/** The warnings of `/readyz` at METRICS_PORT: what is wrong, then what to do. The process stays ready. */
export type Warnings = () => readonly string[];

/** A warning ends when nothing has caused it for this time. */
const warnsForMs = 3_600_000;

const localRanges = new BlockList();
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
] as const) {
  localRanges.addSubnet(network, bits, 'ipv4');
}
for (const [network, bits] of [
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  localRanges.addSubnet(network, bits, 'ipv4');
}
for (const [network, bits] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  localRanges.addSubnet(network, bits, 'ipv6');
}

/**
 * Warns when a proxy is in front of the gateway that it does not trust: then all people behind it have one address, and
 * share the limits of one network. Logs it once.
 */
export function addProxyWatch(app: FastifyInstance, { log }: { log: Log }): void {
  let warnedAtMs: number | undefined;
  let header = '';
  app.addHook('onRequest', (request, _reply, done) => {
    const found = untrustedHeader(request);
    if (found !== undefined) {
      if (warnedAtMs === undefined) log.warn({ header: found, proxy: proxyOf(request) }, 'a proxy is not trusted');
      [warnedAtMs, header] = [performance.now(), found];
    }
    done();
  });
  const warnings: Warnings = () =>
    warnedAtMs !== undefined && performance.now() - warnedAtMs < warnsForMs
      ? [
          `Requests come with \`${header}\` from an address that \`TRUSTED_PROXIES\` does not name, so all people behind it ` +
            'count as one network. Set `TRUSTED_PROXIES` to the addresses of your proxies, which send `X-Forwarded-For`.',
        ]
      : [];
  app.decorate('warnings', warnings);
}

/** The header in which a proxy names the client, and which was not read. */
function untrustedHeader({ headers, ips }: FastifyRequest): string | undefined {
  // The first is the peer. There are more only when it is trusted.
  if ((ips?.length ?? 0) > 1) return undefined;
  if (headers['x-forwarded-for']) return 'X-Forwarded-For';
  return headers.forwarded ? 'Forwarded' : undefined;
}

/** The address for `TRUSTED_PROXIES`. One that is not of a local network could be a person's, who sent the header. */
function proxyOf({ socket }: FastifyRequest): string | undefined {
  const address = socket.remoteAddress?.replace(/^::ffff:/, '');
  if (address === undefined) return undefined;
  return localRanges.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') ? address : undefined;
}
