import { readFileSync } from 'node:fs';
import { startTcpProxy, type TcpProxy } from '../proxy/tcp-proxy.ts';
import { type Certificates, makeCertificates } from './certificates.ts';
import { type TestTemporal, testTemporal } from './temporal.ts';

/** Temporal behind a proxy with mutual TLS. It rejects a client without a certificate of the authority. */
export type TlsTemporal = {
  readonly temporal: TestTemporal;
  readonly certificates: Certificates;
  readonly proxy: TcpProxy;
  /** The environment variables of a process that connects to it. */
  readonly environment: {
    readonly TEMPORAL_ADDRESS: string;
    readonly TEMPORAL_TLS: boolean;
    readonly TEMPORAL_TLS_CA: string;
    readonly TEMPORAL_TLS_CERT: string;
    readonly TEMPORAL_TLS_KEY: string;
  };
  close(): Promise<void>;
};

export async function startTlsTemporal(): Promise<TlsTemporal> {
  const certificates = makeCertificates();
  const temporal = await testTemporal();
  const { ca, server, client } = certificates;
  const proxy = await startTcpProxy(temporal.address, {
    tls: {
      ca: readFileSync(ca),
      cert: readFileSync(server.cert),
      key: readFileSync(server.key),
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2'],
    },
  });
  return {
    temporal,
    certificates,
    proxy,
    environment: {
      TEMPORAL_ADDRESS: proxy.address,
      TEMPORAL_TLS: false,
      TEMPORAL_TLS_CA: ca,
      TEMPORAL_TLS_CERT: client.cert,
      TEMPORAL_TLS_KEY: client.key,
    },
    close: async () => {
      await proxy.close();
      await temporal.close();
      certificates.remove();
    },
  };
}
