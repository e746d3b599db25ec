import type { DeploymentConfig } from '../../config.ts';
import {
  judgeCertificates,
  readCertificate,
  type ServerAddresses,
  tlsServers,
} from '../../doctor/server-certificates.ts';
import { temporalServer } from '../prepare-temporal.ts';
import { databaseSecrets, natsSecrets, type Secret } from '../secret-files.ts';
import { readSecret } from '../secrets-folder.ts';
import type { CheckedServer, Finding } from './finding.ts';

const limitMs = 5_000;
const nowhere: ServerAddresses = {
  ...{ databaseUrl: undefined, natsUrl: undefined, temporal: undefined, publicUrl: undefined },
};

/** Certificates of a server that have expired, or do so within 14 days. A server that does not answer has other findings. */
export async function checkCertificates(
  server: CheckedServer,
  folder: string,
  config: DeploymentConfig,
): Promise<Finding[]> {
  const servers = tlsServers({ ...nowhere, ...(await addressOf(server, folder, config)) });
  const signal = AbortSignal.timeout(limitMs);
  const read = await Promise.all(servers.map((each) => readCertificate(each, signal)));
  return judgeCertificates(
    read.flatMap((certificate) => certificate ?? []),
    new Date(),
  ).map(({ what, why, remedy }) => ({ server, what: 'certificate', ok: false, detail: `${what}. ${why} ${remedy}` }));
}

async function addressOf(
  server: CheckedServer,
  folder: string,
  config: DeploymentConfig,
): Promise<Partial<ServerAddresses>> {
  const first = ([secret]: readonly Secret[]) => (secret ? readSecret(folder, secret) : undefined);
  switch (server) {
    case 'postgres':
      return { databaseUrl: await first(databaseSecrets) };
    case 'nats':
      return { natsUrl: await first(natsSecrets) };
    case 'temporal':
      return config.TEMPORAL_ADDRESS ? { temporal: temporalServer(config) } : {};
  }
}
