import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { TemporalAddress } from './temporal-address.ts';

/** How a server answers the beginning of an HTTP/2 connection, with or without TLS. */
export type Greeting =
  | { readonly kind: 'http2' }
  /** The server speaks another protocol than HTTP/2. */
  | { readonly kind: 'foreign' }
  /** This process rejects the server's certificate. */
  | { readonly kind: 'untrusted'; readonly code: string }
  /** The server ended the handshake with an alert of TLS (RFC 8446, section 6). */
  | { readonly kind: 'alert'; readonly number: number }
  /** The server's bytes are no TLS. */
  | { readonly kind: 'no_tls' }
  /** The handshake fails for another reason, or our own certificate cannot be used. */
  | { readonly kind: 'failed'; readonly code: string }
  /** The server accepted the connection, and closed it without a word. `secured`: after the handshake. */
  | { readonly kind: 'closed'; readonly secured: boolean }
  /** No connection, or no answer in time. */
  | { readonly kind: 'silent' };

/** The client's preface and an empty SETTINGS frame (RFC 9113, section 3.4). The server's first frame is SETTINGS, too. */
const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);
const settingsFrame = 4;
const noTls = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_RECORD_LAYER_FAILURE',
]);

/** Opens a connection as a gRPC client does, and closes it after the server's first words. Never rejects. */
export function greet(address: string, tls: TemporalAddress['tls'], limitMs: number): Promise<Greeting> {
  return new Promise((resolve) => {
    let socket: Socket | undefined;
    let secured = false;
    const finish = (greeting: Greeting) => {
      clearTimeout(timer);
      socket?.destroy();
      resolve(greeting);
    };
    const timer = setTimeout(() => finish({ kind: 'silent' }), limitMs);
    try {
      socket = open(address, tls);
    } catch (error) {
      finish(ofError(error));
      return;
    }
    const opened = socket;
    opened.once(tls ? 'secureConnect' : 'connect', () => {
      secured = tls !== undefined;
      const { authorizationError, alpnProtocol } = opened as TLSSocket;
      if (secured && authorizationError) finish({ kind: 'untrusted', code: String(authorizationError) });
      else if (secured && alpnProtocol !== 'h2') finish({ kind: 'foreign' });
      else opened.write(preface);
    });
    opened.on('data', (bytes: Buffer) => finish({ kind: bytes[3] === settingsFrame ? 'http2' : 'foreign' }));
    opened.on('error', (error) => finish(ofError(error, secured)));
    opened.on('close', () => finish({ kind: 'closed', secured }));
  });
}

function open(address: string, tls: TemporalAddress['tls']): Socket {
  const { hostname, port } = new URL(`tcp://${address}`);
  const where = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 7233) };
  if (!tls) return connect(where);
  const { serverNameOverride: servername, serverRootCACertificate: ca, clientCertPair: own } = tls;
  return connectTls({
    ...where,
    ...(servername && { servername }),
    ...(ca && { ca: Buffer.from(ca) }),
    ...(own && { cert: Buffer.from(own.crt), key: Buffer.from(own.key) }),
    ALPNProtocols: ['h2'],
    // The reason is more than the failure, so the check of the certificate is left to us. Nothing secret is sent.
    rejectUnauthorized: false,
  });
}

function ofError(error: unknown, secured = false): Greeting {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const [, alert] = /SSL alert number (\d+)/.exec(message) ?? [];
  if (alert) return { kind: 'alert', number: Number(alert) };
  if (noTls.has(code)) return { kind: 'no_tls' };
  if (code === 'ECONNRESET' || code === 'EPIPE') return { kind: 'closed', secured };
  return /^ERR_(SSL|OSSL|TLS)/.test(code) ? { kind: 'failed', code } : { kind: 'silent' };
}
