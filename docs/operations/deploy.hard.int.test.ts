import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '@mostrador/local-platform/paths';
import { freeBase, freePort } from '@mostrador/local-platform/ports';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { roles } from '../../infra/nats/users.ts';
import { allRoles } from '../../infra/postgres/roles.ts';
import { startTcpProxy, type TcpProxy } from '../../packages/testing/src/proxy/tcp-proxy.ts';
import {
  type Certificates,
  canMakeCertificates,
  makeCertificates,
} from '../../packages/testing/src/servers/certificates.ts';
import { type OwnPostgres, startOwnPostgres } from '../../packages/testing/src/servers/own-postgres.ts';

const page = readFileSync(join(import.meta.dirname, 'deploy.md'), 'utf8');
/** Every block of the page, in order. Those of `sh` are pasted; the others are a file and the start of a server. */
const blocks = [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, text = '']) => ({ language, text }));
const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0;
/** What `scaling.md` says that two replicas of each process open at most. */
const mostConnections = 138;

/** The settings of a page for HAProxy's gateways, without their addresses. */
const backendOf = (text: string) => text.match(/^backend gateways\n(?: {2}(?!server ).*\n)+/m)?.[0];

test('the page counts the roles and the NATS users that there are', () => {
  expect(page).toContain(
    `each of the ${allRoles.length} database roles and the ${Object.keys(roles).length} NATS users`,
  );
});

test('the pages about deploying and about rollouts have the same settings for the gateways', () => {
  const rollout = readFileSync(join(import.meta.dirname, 'rollout.md'), 'utf8');
  expect(backendOf(page)).toContain('timeout check');
  expect(backendOf(rollout)).toBe(backendOf(page));
});

/** The last line of each process. */
const logsOf = (folder: string): string =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .map((name) => `${name}: ${readFileSync(join(folder, name), 'utf8').trim().split('\n').at(-1)?.slice(0, 500)}\n`)
    .join('');

let home: string;
let certificates: Certificates;
let server: OwnPostgres;
let temporal: TcpProxy;

beforeAll(async () => {
  if (!canMakeCertificates) return;
  home = mkdtempSync(join(tmpdir(), 'mostrador-deploy-'));
  certificates = makeCertificates();
  cpSync(certificates.ca, join(home, 'ca.pem'));
  cpSync(certificates.server.cert, join(home, 'server.pem'));
  cpSync(certificates.server.key, join(home, 'server.key'));
  const [cert, key] = [readFileSync(certificates.server.cert), readFileSync(certificates.server.key)];
  writeFileSync(join(home, 'haproxy.pem'), `${cert}${key}`);
  server = await startOwnPostgres({ tls: certificates.server });
  const tls = { cert, key, ALPNProtocols: ['h2'] };
  temporal = await startTcpProxy(process.env.TEST_TEMPORAL_ADDRESS ?? '', { tls });
});
afterAll(async () => {
  if (!home) return;
  for (const file of readdirSync(home).filter((name) => name.endsWith('.pid'))) {
    try {
      process.kill(Number(readFileSync(join(home, file), 'utf8')), 'SIGKILL');
    } catch {
      // It has ended, as it should.
    }
  }
  await temporal?.close();
  await server?.stop();
  certificates?.remove();
  rmSync(home, { recursive: true, force: true });
});

// It starts 16 processes and a dozen commands, which take minutes beside other tests.
const limit = { timeout: 900_000 };
test.skipIf(!canMakeCertificates)(
  'the page brings up two replicas of each process, pasted in one shell',
  limit,
  async () => {
    if (!hasHaproxy) process.stderr.write('HAProxy is not installed, so its part of deploy.md is skipped\n');
    const [natsPort, publicPort] = [await freePort(), await freePort()];
    // A block of ports holds one for each of the 16 processes, and another one those for their metrics.
    const [firstPort, firstOfMetrics] = [await freeBase('deploy'), await freeBase('deploy metrics')];
    const own = (text: string) =>
      text
        .replaceAll(/\b808(\d)\b/g, (_, digit) => String(firstPort + Number(digit)))
        .replaceAll(/\b8180\b/g, String(firstPort + 8))
        .replaceAll(/port \+ 100\b/g, 'port + 8')
        .replaceAll(/port \+ 1000\b/g, `port + ${firstOfMetrics - firstPort}`)
        .replaceAll('8443', String(publicPort))
        .replaceAll('/opt/mostrador', root)
        .replace('localhost:5432', new URL(server.url).host)
        .replaceAll('4222', String(natsPort))
        .replace('localhost:7233', `localhost:${temporal.port}`)
        .replace('TEMPORAL_NAMESPACE=mostrador', `TEMPORAL_NAMESPACE=deploy-${process.pid}`);
    const script = blocks.slice(0, -1).flatMap(({ language, text }) => {
      if (!hasHaproxy && text.includes('haproxy.')) return [];
      if (text.startsWith('postgres://')) return [`echo '${server.url}' > administrator\n`];
      if (text.startsWith('( set -a; . secrets/nats.env;')) {
        const line = own(text).replace('nats-server', '"$TEST_NATS_SERVER"').replace('/var/lib/nats', 'store').trim();
        return [`${line} > nats.log 2>&1 &\necho $! > nats.pid\n`];
      }
      return language === 'sh' ? [own(text)] : [`echo 'a block of another kind'; exit 1\n`];
    });
    const stop = own(blocks.at(-1)?.text ?? '');
    const stopping = hasHaproxy ? stop : stop.replace(/^.*haproxy[.]pid.*\n/m, '');
    const count = 'echo "all run" > running; until [ -e seen ]; do sleep 0.2; done\n';
    writeFileSync(join(home, 'page.sh'), ['set -e\n', ...script, count, stopping, 'wait\n'].join(''));

    const shell = spawn('bash', ['page.sh'], {
      cwd: home,
      env: {
        ...process.env,
        ...{ NODE_ENV: undefined, VITEST: undefined },
        // The workers bundle their code once for all tests.
        WORKFLOW_BUNDLE_CACHE: join(root, '.local/cache/workflows'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [shell.stdout, shell.stderr]) {
      stream.on('data', (chunk) => {
        said += String(chunk);
      });
    }
    const ended = new Promise<number | null>((resolve) => shell.once('exit', resolve));
    onTestFailed(() => void process.stderr.write(`${said.slice(-4000)}\n${logsOf(home)}`));
    const isOver = () => shell.exitCode !== null || shell.signalCode !== null;
    while (!existsSync(join(home, 'running')) && !isOver()) await pause(100);
    expect([shell.exitCode, said.slice(-3000)]).toEqual([null, expect.any(String)]);

    expect(said).toContain('All is right.');
    if (hasHaproxy) expect(said).toContain('"total":0');
    const sql = postgres(`${server.url.replace('verify-full', 'require')}`, { max: 1 });
    const [{ open }] = await sql<[{ open: number }]>`
    select count(*)::int as open from pg_stat_activity where datname = 'mostrador'`;
    await sql.end();
    expect(open).toBeGreaterThan(20);
    expect(open).toBeLessThanOrEqual(mostConnections);
    expect(page).toContain(`${mostConnections} for two of each`);

    writeFileSync(join(home, 'seen'), '');
    process.kill(Number(readFileSync(join(home, 'nats.pid'), 'utf8')));
    expect(await ended).toBe(0);
  },
);
