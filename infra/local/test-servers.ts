import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, createChildren, type ProcessSpec, untilReady } from '@mostrador/local-platform/children';
import { migrateSchemas } from '@mostrador/local-platform/migrations';
import { localDirectory } from '@mostrador/local-platform/paths';
import { freePort } from '@mostrador/local-platform/ports';
import { identify } from '@mostrador/local-platform/process-identity';
import { findNats } from '@mostrador/local-platform/servers/nats';
import { adminUrl, findPostgres, preparePostgres } from '@mostrador/local-platform/servers/postgres';
import { findTemporal, temporalSpec } from '@mostrador/local-platform/servers/temporal';
import { findToxiproxy } from '@mostrador/local-platform/servers/toxiproxy';
import postgres from 'postgres';
import {
  type Certificates,
  canMakeCertificates,
  makeCertificates,
} from '../../packages/testing/src/servers/certificates.ts';
import { dataParent } from '../../packages/testing/src/servers/data-folder.ts';
import { allRoles, createDatabase, createRoles } from '../postgres/roles.ts';

const templateDatabase = 'mostrador_template';
// Registered at the start, because it takes seconds until every part of the server sees a new one.
const namespaces = Array.from({ length: 30 }, (_, index) => `test-${String(index + 1).padStart(2, '0')}`);

/**
 * Starts the servers that integration tests share during one run: PostgreSQL with a template database that has all
 * migrations, and Temporal in memory. Tests find them in the environment: TEST_POSTGRES_URL (an administrator's; the
 * services' roles have the same password), TEST_POSTGRES_CA (the authority of its certificate, where this machine can
 * make one; connections without TLS work too), TEST_TEMPLATE_DATABASE, TEST_TEMPORAL_ADDRESS, TEST_TEMPORAL_SERVER (the
 * program, for tests that stop it), TEST_NATS_SERVER (the program: each test file starts its own), and TEST_SERVER_DATA
 * (a folder for the data of servers that test files start).
 */
export default async function startTestServers(): Promise<(() => Promise<void>) | undefined> {
  // Two projects need the servers. When a run has files of both, they share them.
  if (process.env.TEST_POSTGRES_URL !== undefined) return undefined;
  const report = (text: string) => process.stderr.write(`[test servers] ${text}\n`);
  const runs = dataParent(join(localDirectory(process.env), 'test'));
  await removeDeadRuns(runs);
  const folder = join(runs, String(process.pid));
  mkdirSync(folder, { recursive: true });
  process.env.TEST_SERVER_DATA = folder;

  const children = createChildren(join(folder, 'children.json'));
  const started: Child[] = [];
  const start = async (spec: ProcessSpec) => {
    const child = children.start(spec);
    started.push(child);
    await untilReady(spec, child);
  };
  const certificates = canMakeCertificates ? makeCertificates() : undefined;
  const stop = async () => {
    await Promise.all(started.map((child) => child.stop(5000)));
    certificates?.remove();
    rmSync(folder, { recursive: true, force: true });
  };

  if (certificates) process.env.TEST_POSTGRES_CA = certificates.ca;
  try {
    await Promise.all([
      startPostgres(folder, start, certificates?.server),
      startTemporal(folder, start, report),
      findNats(process.env, report).then((path) => {
        process.env.TEST_NATS_SERVER = path;
      }),
      // Built here, so that no test waits for a compiler. Tests that need it report it when it is missing.
      findToxiproxy(process.env, report).catch(({ message }: Error) =>
        report(`The chaos tests will fail. Install Go (https://go.dev/dl) for them. ${message}`),
      ),
    ]);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startPostgres(
  folder: string,
  start: (spec: ProcessSpec) => Promise<void>,
  tls: Certificates['server'] | undefined,
): Promise<void> {
  const password = randomBytes(16).toString('hex');
  const port = await freePort();
  const dataDirectory = join(folder, 'postgres');
  const binaries = findPostgres(process.env);
  await start(await preparePostgres({ binaries, dataDirectory, port, password, durable: false, tls }));

  const server = postgres(adminUrl({ port, password }), { max: 1, onnotice: () => {} });
  // It would come at any time: new statistics change a plan that a test looks at, and its snapshot keeps dead rows.
  await server`alter system set autovacuum = off`;
  await server`select pg_reload_conf()`;
  await createDatabase(server, templateDatabase);
  await server.end();
  const template = postgres(adminUrl({ port, password, database: templateDatabase }), { max: 1, onnotice: () => {} });
  await createRoles(template, { database: templateDatabase, password });
  // Tests open thousands of connections. With the usual 4,096 iterations each takes both sides some milliseconds.
  await template`set scram_iterations = 1`;
  for (const role of ['postgres', ...allRoles]) await template.unsafe(`alter role ${role} password '${password}'`);
  await template.end();
  const urlFor = (role: string) =>
    adminUrl({ port, password, database: templateDatabase }).replace('//postgres:', `//${role}:`);
  await migrateSchemas((schema) => urlFor(`${schema}_owner`), { info: () => {} });

  process.env.TEST_POSTGRES_URL = adminUrl({ port, password });
  process.env.TEST_TEMPLATE_DATABASE = templateDatabase;
}

async function startTemporal(
  folder: string,
  start: (spec: ProcessSpec) => Promise<void>,
  report: (text: string) => void,
): Promise<void> {
  const binary = await findTemporal(process.env, report);
  const [grpc, http, metrics] = await Promise.all([freePort(), freePort(), freePort()]);
  // The default suggests continue-as-new after 4,096 events. With 60, a test of it takes a second.
  const dynamicConfig = { 'limit.historyCount.suggestContinueAsNew': 60 };
  await start(
    temporalSpec({ binary, home: folder, ports: { grpc, http, metrics }, namespaces: namespaces, dynamicConfig }),
  );
  process.env.TEST_TEMPORAL_ADDRESS = `127.0.0.1:${grpc}`;
  process.env.TEST_TEMPORAL_SERVER = binary;
}

/** Removes the folders of killed runs. The name of a folder is the pid of its run. */
async function removeDeadRuns(runs: string): Promise<void> {
  if (!existsSync(runs)) return;
  for (const name of readdirSync(runs)) {
    if (identify(Number(name))) continue;
    await createChildren(join(runs, name, 'children.json')).stopSurvivors(3000);
    rmSync(join(runs, name), { recursive: true, force: true });
  }
}
