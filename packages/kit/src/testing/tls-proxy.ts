import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import type { Certificates } from './certificates.ts';
import { joinTo } from './proxy.ts';

/** TLS before a server that has none, as a load balancer puts it; who shows no certificate of the authority is refused. */
export type TlsProxy = {
  /** `127.0.0.1:port` */
  readonly address: string;
  close(): Promise<void>;
};

/** Passes on to `host:port` what comes over HTTP/2. */
export async function startTlsProxy(target: string, { ca, server: own }: Certificates): Promise<TlsProxy> {
  const { join, breakAll } = joinTo(target);
  const server = createServer(
    {
      cert: readFileSync(own.cert),
      key: readFileSync(own.key),
      ca: readFileSync(ca),
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2'],
    },
    join,
  );
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        breakAll();
      }),
  };
}
