import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gauge, type MetricDefinition, type Registered } from './metrics.ts';

export const certificateExpiry = {
  name: 'mostrador_certificate_expiry_seconds',
  type: 'gauge',
  help: 'When the certificate that ends first in a configured file expires, in seconds since 1970. Without a value: the file cannot be read.',
  labels: { variable: 'that names the file, such as `NATS_TLS_CERT`' },
} as const satisfies MetricDefinition;

/** Variables of the configuration that name a file with certificates. A test compares them with `config.ts`. */
export const certificateVariables = [
  ...['NATS_TLS_CA', 'NATS_TLS_CERT', 'TEMPORAL_TLS_CA', 'TEMPORAL_TLS_CERT'],
  'OTEL_EXPORTER_OTLP_CERTIFICATE',
] as const;
const rereadMs = 60_000;

/** Exports when the certificates expire that the environment names. The files are read again once a minute at most. */
export function exportCertificates(
  metrics: Registered,
  config: object,
  now = () => performance.now(),
  env: NodeJS.ProcessEnv = process.env,
): void {
  // Node itself reads the last one, with which PostgreSQL and others are verified.
  const named: Readonly<Record<string, unknown>> = { ...config, NODE_EXTRA_CA_CERTS: env.NODE_EXTRA_CA_CERTS };
  const files = [...certificateVariables, 'NODE_EXTRA_CA_CERTS'].flatMap((variable) => {
    const file = named[variable];
    return typeof file === 'string' ? [{ variable, file }] : [];
  });
  let readAtMs: number | undefined;
  gauge(metrics, certificateExpiry, (each) => {
    if (readAtMs !== undefined && now() - readAtMs < rereadMs) return;
    readAtMs = now();
    each.reset();
    for (const { variable, file } of files) {
      const expiry = earliestExpiry(file);
      if (expiry !== undefined) each.set({ variable }, expiry);
    }
  });
}

const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** In seconds since 1970; undefined when the file has no certificate that can be read. */
function earliestExpiry(file: string): number | undefined {
  try {
    const found = readFileSync(file, 'utf8').match(certificates) ?? [];
    const expiries = found.map((text) => new X509Certificate(text).validToDate.getTime() / 1000);
    return expiries.length === 0 ? undefined : Math.min(...expiries);
  } catch {
    return undefined;
  }
}
