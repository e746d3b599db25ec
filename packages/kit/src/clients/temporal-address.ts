import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Where Temporal is and how a process shows who it is, as the client's and the worker's connection take it. */
export type TemporalAddress = {
  readonly address: string;
  /** Absent: without TLS. */
  readonly tls?: {
    readonly serverNameOverride?: string;
    readonly serverRootCACertificate?: Uint8Array;
    readonly clientCertPair?: { readonly crt: Uint8Array; readonly key: Uint8Array };
  };
  readonly apiKey?: string;
};

/**
 * What a process's environment says about Temporal. Any of its variables about TLS turns it on, and so does an API key,
 * which never travels without. Throws when a file cannot be read, or a certificate comes without its key.
 */
export function temporalAddress(config: {
  readonly TEMPORAL_ADDRESS: string;
  readonly TEMPORAL_TLS: boolean;
  readonly TEMPORAL_TLS_CA?: string;
  readonly TEMPORAL_TLS_CERT?: string;
  readonly TEMPORAL_TLS_KEY?: string;
  readonly TEMPORAL_TLS_SERVER_NAME?: string;
  readonly TEMPORAL_API_KEY?: string;
}): TemporalAddress {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_TLS_CA: ca, TEMPORAL_TLS_CERT: cert, TEMPORAL_TLS_KEY: key } = config;
  const { TEMPORAL_TLS_SERVER_NAME: serverName, TEMPORAL_API_KEY: apiKey } = config;
  if (!cert !== !key) {
    throw new Error('TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY belong together');
  }
  const secured = config.TEMPORAL_TLS || ca || cert || serverName || apiKey;
  if (!secured) return { address };
  return {
    address,
    tls: {
      ...(serverName && { serverNameOverride: serverName }),
      ...(ca && { serverRootCACertificate: readFileSync(ca) }),
      ...(cert && key && { clientCertPair: { crt: readFileSync(cert), key: readFileSync(key) } }),
    },
    ...(apiKey && { apiKey }),
  };
}

/** Who a workflow's history says did it: the service, where it runs, and which of its processes. */
export const identityOf = (service: string): string => `${service}@${hostname()}:${process.pid}`;
