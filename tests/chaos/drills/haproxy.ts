import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Children, untilReady } from '@mostrador/local-platform/children';
import { freePort } from '@mostrador/local-platform/ports';
import { waitFor } from '@mostrador/testing/wait';

/** The load balancer in front of the gateways, which repeats no request. */
export type HaProxy = {
  readonly origin: string;
  /** Waits until it sends requests to the gateway of this port. */
  untilUp(gateway: number): Promise<void>;
  stop(): Promise<void>;
};

/** Longer than it takes to notice that a gateway is not ready: the interval, and a check that is given up. */
export const noticeMs = 4_000;

/** Starts it with the settings of docs/operations/rollout.md. */
export async function startHaProxy(options: {
  children: Children;
  folder: string;
  gateways: readonly number[];
}): Promise<HaProxy> {
  const { children, folder, gateways } = options;
  if (spawnSync('haproxy', ['-v']).status !== 0) {
    throw new Error('There is no haproxy on PATH. Debian and Ubuntu: apt-get install haproxy.');
  }
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  const statistics = join(folder, 'haproxy.sock');
  const servers = gateways.map((gateway) => `  server gateway-${gateway} 127.0.0.1:${gateway}`);
  writeFileSync(
    file,
    `global
  stats socket ${statistics} mode 600
defaults
  mode http
  retries 0
  timeout connect 2s
  timeout client 75s
  timeout server 75s
  timeout check 3s
frontend clients
  bind 127.0.0.1:${port}
  default_backend gateways
backend gateways
  balance roundrobin
  option httpchk
  http-check send meth GET uri /readyz
  default-server check inter 250ms fall 1 rise 1
${servers.join('\n')}
`,
  );
  const spec = {
    name: 'haproxy',
    command: 'haproxy',
    args: ['-db', '-f', file],
    stopSignal: 'SIGTERM' as const,
    isReady: () => accepts(port),
  };
  const child = children.start(spec);
  await untilReady(spec, child, 30_000);
  return {
    origin: `http://127.0.0.1:${port}`,
    async untilUp(gateway) {
      const name = `gateway-${gateway}`;
      await waitFor(async () => (await stateOf(statistics, name)) === 'UP', { description: `${name} gets requests` });
    },
    stop: () => child.stop(2_000),
  };
}

/** The word of HAProxy's statistics for a server of the gateways. */
async function stateOf(statistics: string, server: string): Promise<string | undefined> {
  const lines = (await text(connect(statistics).end('show stat gateways 4 -1\n'))).split('\n');
  const [head = [], ...rows] = lines.map((line) => line.split(','));
  return rows.find((row) => row[head.indexOf('svname')] === server)?.[head.indexOf('status')];
}

const accepts = (port: number): Promise<true | string> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => resolve(error.message));
  });
