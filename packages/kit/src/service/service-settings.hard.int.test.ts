import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { searchAttributes } from '@mostrador/contracts/workflows';
import { freePorts } from '@mostrador/local-platform/ports';
import { silentLog } from '@mostrador/testing/context';
import { canMakeCertificates } from '@mostrador/testing/servers/certificates';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { startTlsTemporal, type TlsTemporal } from '@mostrador/testing/servers/temporal-tls';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../database/migrate.ts';

// Settings with which a process starts, and cannot work. Each process is a complete service without operations.
const program = `
  import { Type } from '@sinclair/typebox';
  import { loadConfig, serviceConfig, temporalConfig } from '@mostrador/kit/process/config';
  import { runService } from '@mostrador/kit/service/service';
  const config = loadConfig(Type.Object({ ...serviceConfig, ...temporalConfig }));
  runService({
    name: 'messaging',
    config,
    temporal: config,
    operations: {},
    migrations: '.', // it has none
    build: () => ({ handlers: {} }),
  });`;
const natsUsers = `authorization { users: [
  { user: messaging, password: secret, permissions: { subscribe: ["messaging.> messaging", "_INBOX_messaging.>"] } }
  { user: crm, password: secret, permissions: { subscribe: ["crm.> crm", "_INBOX_crm.>"] } } ] }`;

let kit: TestDatabase;
let nats: TestNats;
const processes: ChildProcess[] = [];

beforeAll(async () => {
  kit = await createKitDatabase();
  nats = await startTestNats({ settings: natsUsers, user: { name: 'messaging', password: 'secret' } });
  await migrate({ url: kit.ownerUrl, schema: 'messaging', directory: import.meta.dirname, log: silentLog() });
});
afterEach(() => {
  for (const child of processes.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await Promise.all([nats?.stop(), kit?.drop()]);
});

const as = (url: string, username: string) => Object.assign(new URL(url), { username, password: 'secret' }).href;

type Answer = { ready: boolean; dependencies: Record<string, { state: string; detail?: string }> };
/** Starts a process with these settings. Returns how to read its readiness once only they can be at fault. */
async function start(settings: Record<string, string>): Promise<() => Promise<Answer>> {
  const [port, nowhere] = await freePorts(2);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: new URL('../..', import.meta.url),
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      NATS_URL: as(nats.url, 'messaging'),
      DATABASE_URL: kit.url,
      DATABASE_SYSTEM_URL: kit.systemUrl,
      TEMPORAL_ADDRESS: `127.0.0.1:${nowhere}`,
      HEALTH_PORT: String(port),
      ...settings,
    },
  });
  processes.push(child);
  const read = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).json() as Promise<Answer>;
  await waitFor(async () => (await read()).dependencies.nats?.state === 'up', {
    description: 'it is connected to NATS',
  });
  return read;
}

/** Waits until the process is not ready, and these checks give the reason. */
const refuses = (read: () => Promise<Answer>, checks: readonly string[], reason: string) =>
  waitFor(
    async () => {
      const { ready, dependencies } = await read();
      return !ready && checks.every((name) => dependencies[name]?.detail?.includes(reason));
    },
    { description: `not ready: ${reason}` },
  );
const isReady = (read: () => Promise<Answer>) =>
  waitFor(async () => (await read()).ready, { description: 'it is ready' });

test.each<[string, () => Record<string, string>, string, string]>([
  [
    'the addresses of both roles are swapped',
    () => ({ DATABASE_URL: kit.systemUrl, DATABASE_SYSTEM_URL: kit.url }),
    'postgres_roles',
    'The user in DATABASE_URL has not the rights of the role messaging: log in as messaging.',
  ],
  [
    'the system role has the address of requests',
    () => ({ DATABASE_SYSTEM_URL: kit.url }),
    'postgres_roles',
    'The user in DATABASE_SYSTEM_URL has not the rights of the role messaging_system: log in as messaging_system.',
  ],
  [
    'requests run as an administrator',
    () => ({ DATABASE_URL: Object.assign(new URL(kit.url), { username: 'postgres' }).href }),
    'postgres_roles',
    'The user in DATABASE_URL has more rights than the role messaging: log in as messaging.',
  ],
  [
    'the user of NATS is that of another service',
    () => ({ NATS_URL: as(nats.url, 'crm') }),
    'nats_user',
    'NATS does not let the user in NATS_URL serve requests as messaging',
  ],
])('a service is not ready when %s', async (_, settings, check, reason) => {
  await refuses(await start(settings()), [check], reason);
});

describe.skipIf(!canMakeCertificates)('a service whose Temporal has TLS', () => {
  let secured: TlsTemporal;
  beforeAll(async () => {
    secured = await startTlsTemporal();
  });
  afterAll(() => secured?.close());

  const startWith = (change: Record<string, string>) => {
    const given = Object.entries(secured.environment).map(([name, value]) => [name, String(value)]);
    return start({ ...Object.fromEntries(given), TEMPORAL_NAMESPACE: secured.temporal.namespace, ...change });
  };
  const stranger = () => ({
    TEMPORAL_TLS_CERT: secured.certificates.stranger.cert,
    TEMPORAL_TLS_KEY: secured.certificates.stranger.key,
  });

  test.each<[string, () => Record<string, string>, string]>([
    ['without a client certificate', () => ({ TEMPORAL_TLS_CERT: '', TEMPORAL_TLS_KEY: '' }), 'set TEMPORAL_TLS_CERT'],
    ['with a client certificate of another CA', stranger, 'rejects the client certificate'],
    ['with another CA', () => ({ TEMPORAL_TLS_CA: secured.certificates.otherCa }), 'set TEMPORAL_TLS_CA'],
    ['with a wrong name', () => ({ TEMPORAL_TLS_SERVER_NAME: 'elsewhere.test' }), 'set TEMPORAL_TLS_SERVER_NAME'],
    ['with TLS for a server without it', () => ({ TEMPORAL_ADDRESS: secured.temporal.address }), 'has no TLS'],
    [
      'without TLS for a server with it',
      () => ({ TEMPORAL_TLS_CA: '', TEMPORAL_TLS_CERT: '', TEMPORAL_TLS_KEY: '' }),
      'requires TLS: set TEMPORAL_TLS=true',
    ],
    ['with a namespace that does not exist', () => ({ TEMPORAL_NAMESPACE: 'nowhere' }), 'has no namespace nowhere'],
  ])('is not ready %s, and says what to do', async (_, change, reason) => {
    await refuses(await startWith(change()), ['temporal', 'temporal_namespace'], reason);
  });

  test('is ready while Temporal is down, says so, and finds it again', async () => {
    secured.proxy.cut();
    const read = await startWith({});
    await isReady(read);
    expect((await read()).dependencies).toMatchObject({
      temporal_namespace: { state: 'up' },
      temporal: { state: 'down', detail: expect.stringContaining('Its work waits') },
    });
    secured.proxy.mend();
    await waitFor(async () => (await read()).dependencies.temporal?.state === 'up', {
      description: 'Temporal is back',
    });
  });

  test('is ready by itself once the namespace is there', async () => {
    const namespace = `late-${randomUUID()}`;
    const read = await startWith({ TEMPORAL_NAMESPACE: namespace });
    await refuses(read, ['temporal_namespace'], `has no namespace ${namespace}`);
    const operate = async (...words: string[]) => {
      const to = ['--address', secured.temporal.address, '--namespace', namespace];
      execFileSync(process.env.TEST_TEMPORAL_SERVER as string, ['operator', ...words, ...to], { stdio: 'ignore' });
      return true;
    };
    await operate('namespace', 'create');
    const attributes = Object.values(searchAttributes).flatMap((name) => ['--name', name, '--type', 'Keyword']);
    await waitFor(() => operate('search-attribute', 'create', ...attributes), {
      description: 'the server knows the namespace',
    });
    await isReady(read);
  });
});
