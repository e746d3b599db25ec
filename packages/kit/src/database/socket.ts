import net from 'node:net';
import tls from 'node:tls';
import type { TlsMode } from '../schema/database-addresses.ts';
import { failedHandshake } from './tls.ts';

export type Address = { readonly host: string; readonly port: number } | { readonly path: string };

/** A socket to PostgreSQL that opens. `opened` rejects when it does not open in time, or `destroy` comes first. */
export type Opening = { readonly opened: Promise<net.Socket>; destroy(): void };

const failures = new WeakSet<object>();

/** Whether a socket of `openSocket` failed with this error, so that its connection is lost. */
export const isSocketFailure = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && failures.has(error);

/**
 * Opens a socket, and secures it unless `mode` is undefined. Callers reach the raw socket only through `destroy`. If it
 * closed below TLS, the next write would fail where no listener is, and that ends the process.
 */
export function openSocket(
  address: Address,
  { mode, limitMs }: { mode: TlsMode | undefined; limitMs: number },
): Opening {
  const raw = net.connect({ ...address, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 });
  let socket: net.Socket = guarded(raw);
  const destroy = (error?: Error) => void socket.destroy(error);
  const timer = setTimeout(() => destroy(failure('no connection in time', 'CONNECT_TIMEOUT')), limitMs);

  async function secure({ host }: { host: string }, { required, verified, direct }: TlsMode): Promise<void> {
    if (!direct) {
      const answer = await answerToRequest(raw);
      if (answer === 'N' && !required) return;
      if (answer !== 'S') throw noTls(answer);
    }
    const secured = tls.connect({
      socket: raw,
      // The certificate is checked against the host. A server name must not be an IP address (RFC 6066).
      host,
      ...(net.isIP(host) ? {} : { servername: host }),
      ...(direct ? { ALPNProtocols: ['postgresql'] } : {}),
      rejectUnauthorized: verified,
    });
    socket = guarded(secured);
    await event(secured, 'secureConnect').catch((error) => {
      throw failedHandshake(error);
    });
  }

  async function open(): Promise<net.Socket> {
    await event(raw, 'connect');
    // A Unix socket needs no TLS, and PostgreSQL offers none there.
    if (mode && 'host' in address) await secure(address, mode);
    // postgres.js has no listener yet, so it would not learn that the socket has closed.
    if (socket.destroyed) throw socket.errored ?? closed();
    return socket;
  }

  const opened = open()
    .catch((error) => {
      destroy();
      failures.add(error);
      throw error;
    })
    .finally(() => clearTimeout(timer));
  return { opened, destroy };
}

/** Notes the socket's errors. The listener also keeps an error from ending the process while no other one listens. */
function guarded<S extends net.Socket>(socket: S): S {
  return socket.on('error', (error) => failures.add(error));
}

function failure(message: string, code: string): Error {
  const error = Object.assign(new Error(message), { code });
  failures.add(error);
  return error;
}
const closed = (): Error => failure('closed', 'CONNECTION_CLOSED');

const noTls = (answer: string): Error =>
  answer === 'N'
    ? failure('the server offers no TLS', 'TLS_NOT_OFFERED')
    : failure('the server does not answer the request for TLS as PostgreSQL does', 'TLS_FAILED');

function event(socket: net.Socket, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed) reject(socket.errored ?? closed());
    socket.once('error', reject);
    socket.once('close', () => reject(closed()));
    socket.once(name, () => resolve());
  });
}

/** SSLRequest of PostgreSQL's protocol: its length, and a code in the place of a version. */
const request = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** `S`, `N`, or a text that is no answer: bytes after `S` came in plain text, so an attacker may have added them. */
async function answerToRequest(raw: net.Socket): Promise<string> {
  raw.write(request);
  await event(raw, 'readable');
  const answer = raw.read() as Buffer | null;
  if (answer === null) throw closed();
  return answer.toString('latin1');
}
