import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { type TLSSocket, connect as upgrade } from 'node:tls';
import { ageText, type Finding, toTime } from './finding.ts';

/** A server whose certificate is read. `begin` leads the connection to the point at which TLS begins. */
export type TlsServer = {
  /** For people: `PostgreSQL`. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** The name that the clients ask for, where it is not the host. */
  readonly serverName?: string;
  readonly alpn?: readonly string[];
  /** Resolves to false when the server has no TLS. */
  readonly begin?: (socket: Socket) => Promise<boolean>;
};

export type ServerCertificate = Pick<TlsServer, 'name' | 'host' | 'port'> & { readonly validTo: Date };

/** `SSLRequest` of PostgreSQL's protocol. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

async function beginPostgres(socket: Socket): Promise<boolean> {
  socket.write(sslRequest);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer[0] === 'S'.charCodeAt(0);
}

/** NATS says in its first line whether it has TLS. */
async function beginNats(socket: Socket): Promise<boolean> {
  let line = '';
  while (!line.includes('\n')) line += String(((await once(socket, 'data')) as [Buffer])[0]);
  return /"tls_(required|available)":\s*true/.test(line);
}

/** The hosts of an address with one or several hosts, such as `postgres://user:password@a:5432,b:5432/name`. */
function hostsOf(url: string, defaultPort: number): { host: string; port: number }[] {
  const authority = /^[a-z+]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? url;
  return authority
    .slice(authority.lastIndexOf('@') + 1)
    .split(',')
    .flatMap((place) => {
      const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(place) ?? [];
      const host = bracketed ?? plain;
      return host === undefined ? [] : [{ host, port: Number(port ?? defaultPort) }];
    });
}

export type ServerAddresses = {
  readonly databaseUrl: string | undefined;
  readonly natsUrl: string | undefined;
  readonly temporal: { readonly address: string; readonly tls?: unknown } | undefined;
  readonly publicUrl: string | undefined;
};

/** The servers at these addresses that may have a certificate. */
export function tlsServers({ databaseUrl, natsUrl, temporal, publicUrl }: ServerAddresses): TlsServer[] {
  const nats = (natsUrl ?? '').split(',').filter((url) => url.trim() !== '');
  const temporalTls = temporal?.tls as { serverNameOverride?: string } | boolean | undefined;
  const serverName = typeof temporalTls === 'object' ? temporalTls.serverNameOverride : undefined;
  return [
    ...(databaseUrl ? hostsOf(databaseUrl, 5432) : []).map((at) => ({
      ...{ name: 'PostgreSQL', ...at, begin: beginPostgres },
    })),
    ...nats.flatMap((url) => hostsOf(url.trim(), 4222)).map((at) => ({ name: 'NATS', ...at, begin: beginNats })),
    ...(temporal && temporalTls ? hostsOf(temporal.address, 7233) : []).map((at) => ({
      ...{ name: 'Temporal', ...at, alpn: ['h2'], ...(serverName && { serverName }) },
    })),
    ...(publicUrl?.startsWith('https:') ? hostsOf(publicUrl, 443) : []).map((at) => ({ name: 'PUBLIC_URL', ...at })),
  ];
}

/** Reads the certificate of a server. Undefined: it has no TLS, or does not answer, which other checks find. */
export async function readCertificate(server: TlsServer, signal: AbortSignal): Promise<ServerCertificate | undefined> {
  const { name, host, port, begin, alpn, serverName = isIP(host) ? '' : host } = server;
  const socket = connect({ host, port });
  const destroy = () => socket.destroy(new Error('no answer in time'));
  signal.addEventListener('abort', destroy, { once: true });
  let secured: TLSSocket | undefined;
  try {
    await once(socket, 'connect');
    if (begin && !(await begin(socket))) return undefined;
    // An expired or foreign certificate is read too. Nothing is sent over this connection.
    secured = upgrade({ socket, servername: serverName, rejectUnauthorized: false, ALPNProtocols: [...(alpn ?? [])] });
    await once(secured, 'secureConnect');
    const validTo = secured.getPeerX509Certificate()?.validToDate;
    return validTo && { name, host, port, validTo };
  } catch {
    return undefined;
  } finally {
    signal.removeEventListener('abort', destroy);
    secured?.on('error', () => {}).destroy();
    socket.on('error', () => {}).destroy();
  }
}

const soonMs = 14 * 24 * 3_600_000;

/** Certificates that have expired, or do so within 14 days. Pure. */
export const judgeCertificates = (certificates: readonly ServerCertificate[], now: Date): Finding[] =>
  certificates
    .filter(({ validTo }) => +validTo - +now < soonMs)
    .map(({ name, host, port, validTo }) => {
      const isOver = validTo <= now;
      return {
        severity: isOver ? 'critical' : 'warning',
        what: isOver
          ? `The certificate of ${name} at ${host}:${port} has expired. What checks it cannot connect`
          : `The certificate of ${name} at ${host}:${port} expires in ${ageText(+now, +validTo)}`,
        since: isOver ? toTime(validTo) : null,
        why: `It is valid until ${validTo.toISOString()}.`,
        remedy: `Replace it, and reload the server. ${name === 'NATS' || name === 'PostgreSQL' ? 'A reload is enough: connections stay.' : 'Some need a restart.'}`,
      };
    });
