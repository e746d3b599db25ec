import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** The address of Temporal and the credentials of a process, as client and worker connections accept them. */
export type TemporalAddress = {
  readonly address: string;
  /** Absent without TLS. */
  readonly tls?: {
    readonly serverNameOverride?: string;
    readonly serverRootCACertificate?: Uint8Array;
    readonly clientCertPair?: { readonly crt: Uint8Array; readonly key: Uint8Array };
  };
  readonly apiKey?: string;
};

/**
 * The Temporal settings of a process's environment. Any TLS variable turns TLS on, and so does an API key, which is
 * only sent over TLS.
 *
 * @throws Error when a file cannot be read, or a certificate comes without its key
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
    throw new Error('TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY must be set together');
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

/** The identity in workflow histories: the service, its host and its process id. */
export const identityOf = (service: string): string => `${service}@${hostname()}:${process.pid}`;
