import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Child, createChildren, untilReady } from '@mostrador/local-platform/children';
import { root } from '@mostrador/local-platform/paths';
import { freePort } from '@mostrador/local-platform/ports';
import { findNats, natsSpec } from '@mostrador/local-platform/servers/nats';
import { startTcpProxy } from '@mostrador/testing/proxy/tcp-proxy';
import { type Certificates, makeCertificates } from '@mostrador/testing/servers/certificates';
import { startOwnPostgres } from '@mostrador/testing/servers/own-postgres';
import { startTemporal } from './temporal.ts';

export type TlsServerName = 'postgres' | 'nats' | 'temporal';

/** The three servers of a platform, with certificates that each test run makes. None accepts plain text. */
export type TlsServers = {
  /** For `npm start`. Certificates are verified with their names. NATS and Temporal ask for a client's, too. */
  readonly environment: NodeJS.ProcessEnv;
  readonly ports: Readonly<Record<TlsServerName, number>>;
  /** Stops a server and starts it again with its data. */
  restart(name: TlsServerName): Promise<void>;
  /** Whether PostgreSQL refuses the login of every process. */
  refuseLogins(refused: boolean): Promise<void>;
  stop(): Promise<void>;
};

export async function startTlsServers(folder: string): Promise<TlsServers> {
  const certificates = makeCertificates();
  const { ca, server, client } = certificates;
  const [postgres, nats, temporal] = await Promise.all([
    startOwnPostgres({ tls: server }),
    startNats(folder, certificates),
    startSecuredTemporal(folder, certificates),
  ]);
  const restarts = { postgres: postgres.restart, nats: nats.restart, temporal: temporal.restart };
  const ports = { postgres: Number(new URL(postgres.url).port), nats: nats.port, temporal: temporal.port };
  return {
    environment: {
      POSTGRES_URL: postgres.url,
      NODE_EXTRA_CA_CERTS: ca,
      NATS_URL: nats.url,
      NATS_TLS_CA: ca,
      NATS_TLS_CERT: client.cert,
      NATS_TLS_KEY: client.key,
      TEMPORAL_ADDRESS: `localhost:${temporal.port}`,
      TEMPORAL_TLS_CA: ca,
      TEMPORAL_TLS_CERT: client.cert,
      TEMPORAL_TLS_KEY: client.key,
    },
    ports,
    restart: (name) => restarts[name](),
    refuseLogins: postgres.refuseLogins,
    async stop() {
      await Promise.all([postgres.stop(), nats.stop(), temporal.stop()]);
      certificates.remove();
    },
  };
}

/** As docs/reference/configuration.md says: a file that includes ours, and adds TLS. All processes are one user. */
async function startNats(folder: string, { ca, server }: Certificates) {
  const home = join(folder, 'nats-tls');
  mkdirSync(home);
  const config = join(home, 'nats.conf');
  const ours = relative(home, join(root, 'infra/nats/server.conf'));
  const [user, password] = ['platform', `p${randomBytes(16).toString('hex')}`];
  writeFileSync(
    config,
    `include "${ours}"
     authorization { user: ${user}, password: ${password} }
     tls { cert_file: "${server.cert}", key_file: "${server.key}", ca_file: "${ca}", verify: true }\n`,
    { mode: 0o600 },
  );
  const binary = await findNats(process.env, (text) => void process.stderr.write(`[e2e] ${text}\n`));
  const [port, monitorPort] = await Promise.all([freePort(), freePort()]);
  const spec = natsSpec({ binary, config, passwords: {}, storeDirectory: join(home, 'store'), port, monitorPort });
  const children = createChildren(join(home, 'children.json'));
  let child: Child;
  const start = async () => {
    child = children.start(spec);
    await untilReady(spec, child);
  };
  const stop = () => child.stop(10_000);
  await start();
  return {
    ...{ port, url: `tls://${user}:${password}@localhost:${port}`, stop },
    async restart() {
      await stop();
      await start();
    },
  };
}

/** The development server has no TLS of its own, so a proxy has it. */
async function startSecuredTemporal(folder: string, { ca, server }: Certificates) {
  const home = join(folder, 'temporal-tls');
  mkdirSync(home);
  const temporal = await startTemporal(home);
  const proxy = await startTcpProxy(temporal.address, {
    tls: {
      ...{ ca: readFileSync(ca), cert: readFileSync(server.cert), key: readFileSync(server.key) },
      ...{ requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'] },
    },
  });
  return {
    port: proxy.port,
    restart: temporal.restart,
    async stop() {
      await proxy.close();
      await temporal.close();
    },
  };
}
