import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import {
  type Child,
  createChildren,
  httpAnswers,
  type ProcessSpec,
  untilReady,
} from '@mostrador/local-platform/children';
import { freePort } from '@mostrador/local-platform/ports';
import { natsPasswords, natsUrlOf } from '@mostrador/local-platform/secrets';
import { roleUrl } from '@mostrador/local-platform/servers/role-passwords';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createDatabase, createRoles } from '../../infra/postgres/roles.ts';
import { processes, processNames, serviceNames } from '../../packages/platform/src/processes.ts';
import { type NatsUser, natsUsers, ownerRoleOf } from '../../packages/platform/src/servers.ts';
import {
  type Certificates,
  canMakeCertificates,
  makeCertificates,
  trustAuthority,
} from '../../packages/testing/src/servers/certificates.ts';
import { onServer } from '../../packages/testing/src/servers/database.ts';
import { type OwnPostgres, startOwnPostgres } from '../../packages/testing/src/servers/own-postgres.ts';
import { emptyNamespace, type TestTemporal, testTemporal } from '../../packages/testing/src/servers/temporal.ts';

// Runs what compose.yaml runs, in its order: nats-server with its configuration, the migrations, and every process with
// its command, environment and health check. Only paths, ports and host names differ, because this machine has no
// container engine.
type Service = {
  readonly entrypoint?: string[];
  readonly command: string[];
  readonly environment: Record<string, string>;
  readonly healthcheck: { readonly test: string[] };
};

const root = resolve(import.meta.dirname, '../..');
const { services }: { services: Record<string, Service> } = parse(
  readFileSync(join(root, 'infra/compose/compose.yaml'), 'utf8'),
);
const database = 'mostrador';

describe.skipIf(!canMakeCertificates)('what compose.yaml runs', () => {
  let folder: string;
  let certificates: Certificates;
  let server: OwnPostgres;
  let temporal: TestTemporal;
  let distrust: () => void;
  const running: Child[] = [];
  const ports = new Map<string, number>();
  const start = async (spec: ProcessSpec) => {
    const child = createChildren(join(folder, `${spec.name}.json`)).start(spec);
    running.unshift(child);
    await untilReady(spec, child);
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mostrador-compose-'));
    certificates = makeCertificates();
    distrust = trustAuthority(certificates.ca);
    [server, temporal] = await Promise.all([startOwnPostgres({ tls: certificates.server }), testTemporal()]);
    for (const name of processNames) ports.set(name, await freePort());
    const password = 'of-this-test';
    const databaseUrl = Object.assign(new URL(server.url), { pathname: `/${database}` }).href;
    await onServer(server.url, (sql) => createDatabase(sql, database));
    await onServer(databaseUrl, (sql) => createRoles(sql, { database, password }));
    const natsUrl = await startNats(password);
    writeSecrets(databaseUrl, natsUrl, password);
  });
  afterAll(async () => {
    for (const child of running) await child.stop(5_000);
    distrust?.();
    // The worker created its schedules there.
    await emptyNamespace(temporal);
    await Promise.all([server?.stop(), temporal?.close()]);
    certificates?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The paths of a container, in this test's folder. */
  const here = (value: string, name: string): string =>
    value
      .replace('/run/secrets', join(folder, 'secrets', name))
      .replace('/run/tls', join(folder, 'tls'))
      .replace('/etc/nats', join(folder, 'nats'))
      .replace(/^\/data$/, join(folder, 'data'));

  async function startNats(password: string): Promise<string> {
    const [port, monitor] = [await freePort(), await freePort()];
    mkdirSync(join(folder, 'tls'));
    cpSync(certificates.ca, join(folder, 'tls/ca.pem'));
    cpSync(certificates.server.cert, join(folder, 'tls/nats.crt'));
    cpSync(certificates.server.key, join(folder, 'tls/nats.key'));
    cpSync(join(root, 'infra/nats'), join(folder, 'nats/platform'), { recursive: true });
    const settings = readFileSync(join(root, 'infra/compose/nats.conf'), 'utf8')
      .replaceAll('/run/tls', join(folder, 'tls'))
      .replace('port: 4222', `host: 127.0.0.1, port: ${port}`)
      .replace('127.0.0.1:8222', `127.0.0.1:${monitor}`);
    writeFileSync(join(folder, 'nats/compose.conf'), settings);
    await start({
      name: 'nats',
      command: process.env.TEST_NATS_SERVER ?? '',
      args: (services.nats as Service).command.map((word) => here(word, 'nats')),
      env: { ...process.env, ...natsPasswords(password) },
      stopSignal: 'SIGTERM',
      isReady: () => httpAnswers(`http://127.0.0.1:${monitor}/healthz?js-enabled-only=true`),
    });
    return `tls://localhost:${port}`;
  }

  /** The folder of `secrets generate`. */
  function writeSecrets(databaseUrl: string, natsUrl: string, password: string): void {
    const write = (holder: string, name: string, value: string) => {
      const file = join(folder, 'secrets', holder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${value}\n`);
    };
    for (const user of natsUsers) write(user, 'NATS_URL', natsUrlOf(user as NatsUser, natsUrl, password));
    for (const name of processNames) {
      for (const { variable, role } of processes[name].databaseLogins)
        write(name, variable, roleUrl(databaseUrl, role, password));
      write(name, 'ENCRYPTION_KEYS', `k1:${Buffer.alloc(32).toString('base64')}`);
    }
    for (const name of serviceNames)
      write(`${name}-migrate`, 'DATABASE_OWNER_URL', roleUrl(databaseUrl, ownerRoleOf(name), password));
  }

  function environmentOf(service: string, holder = service): NodeJS.ProcessEnv {
    const common = parseEnv(readFileSync(join(root, 'infra/env/common.env.example'), 'utf8'));
    const own = Object.entries((services[service] as Service).environment);
    const { listener } = processes[service as 'crm'] ?? {};
    return {
      PATH: process.env.PATH,
      // Only caches. An image has the second one, too.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      WORKFLOW_BUNDLE_CACHE: join(root, '.local/cache/workflows'),
      ...common,
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: temporal.namespace,
      ...Object.fromEntries(own.map(([name, value]) => [name, here(value, holder)])),
      ...(listener && { [listener.port]: String(ports.get(service)) }),
    };
  }

  const commandOf = ({ entrypoint = [], command }: Service): [string, string[]] => {
    const [program, ...args] = [...entrypoint, ...command];
    expect(program).toBe('node');
    return [process.execPath, args];
  };

  test.each(serviceNames)('migrates %s', async (name) => {
    const [command, args] = commandOf(services[`migrate-${name}`] as Service);
    const child = spawn(command, args, {
      cwd: root,
      env: environmentOf(`migrate-${name}`, `${name}-migrate`),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [[code], output] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
    expect(code, output).toBe(0);
  });

  test('starts every process, and its health check passes', async () => {
    await Promise.all(
      processNames.map(async (name) => {
        const service = services[name] as Service;
        const [command, args] = commandOf(service);
        const { number } = processes[name].listener;
        const [, , ...check] = service.healthcheck.test.map((word) =>
          word.replace(`:${number}/`, `:${ports.get(name)}/`),
        );
        await start({
          name,
          command,
          args: args.map((word) => (word.endsWith('.ts') ? join(root, word) : word)),
          env: environmentOf(name),
          stopSignal: 'SIGTERM',
          isReady: async () => {
            const answer = await httpAnswers(`http://127.0.0.1:${ports.get(name)}/readyz`);
            if (answer !== true) return answer;
            const [code] = await once(spawn(process.execPath, check, { stdio: 'ignore' }), 'exit');
            return code === 0 || 'it is ready, and its health check fails';
          },
        });
      }),
    );
  });

  test('stops every process in order', async () => {
    const children = running.splice(0, processNames.length);
    const ends = await Promise.all(
      children.map(async (child) => {
        await child.stop(30_000);
        return [child.name, await child.exited];
      }),
    );
    expect(Object.fromEntries(ends)).toEqual(Object.fromEntries(processNames.map((name) => [name, 'exit code 0'])));
  });
});
