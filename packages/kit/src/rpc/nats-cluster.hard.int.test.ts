import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { eventStream } from '@mostrador/contracts';
import { type Child, createChildren, untilReady } from '@mostrador/local-platform/children';
import { root } from '@mostrador/local-platform/paths';
import { freePorts } from '@mostrador/local-platform/ports';
import { natsPasswords, natsUrlOf } from '@mostrador/local-platform/secrets';
import { silentLog } from '@mostrador/testing/context';
import { type Certificates, canMakeCertificates, makeCertificates } from '@mostrador/testing/servers/certificates';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { connectNats, ensureEventStream, isConnected, type NatsConnection } from './nats.ts';

// Three nodes with infra/nats/cluster.conf, on one machine: only the addresses differ.

const password = 'of-the-cluster';
const nodes = [0, 1, 2];

/** Whether something listens at the port. */
const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

describe.skipIf(!canMakeCertificates)('a cluster of three nodes', () => {
  let folder: string;
  let certificates: Certificates;
  let ports: number[];
  let routes: number[];
  const servers: Child[] = [];
  const connections: NatsConnection[] = [];

  const startNode = async (index: number) => {
    const own = join(root, 'infra/nats');
    const file = join(folder, `node-${index}.conf`);
    const conf = readFileSync(join(own, 'cluster.conf'), 'utf8')
      .replace('"platform.conf"', `"${relative(folder, join(own, 'platform.conf'))}"`)
      .replace('0.0.0.0:4222', `127.0.0.1:${ports[index]}`)
      .replace('0.0.0.0:6222', `127.0.0.1:${routes[index]}`)
      .replaceAll(/nats-(\d)\.internal:6222/g, (_, number) => `localhost:${routes[Number(number) - 1]}`);
    writeFileSync(file, conf);
    const { cert, key } = certificates.server;
    const spec = {
      name: `nats-${index}`,
      command: process.env.TEST_NATS_SERVER as string,
      args: ['-c', file, '-sd', join(folder, `data-${index}`)],
      env: {
        ...process.env,
        ...natsPasswords(password),
        ...{ NATS_NODE: `nats-${index + 1}`, NATS_NODE_CERT: cert, NATS_NODE_KEY: key, NATS_NODE_CA: certificates.ca },
      },
      stopSignal: 'SIGTERM' as const,
      isReady: async () => (await isOpen(ports[index] as number)) || 'it does not listen',
    };
    const server = createChildren(join(folder, `children-${index}.json`)).start(spec);
    servers[index] = server;
    await untilReady(spec, server);
  };
  const killNode = async (index: number) => {
    servers[index]?.kill();
    await servers[index]?.exited;
  };
  const connectAs = async (user: 'crm' | 'messaging', streamReplicas?: number, log = silentLog()) => {
    const url = nodes.map((index) => natsUrlOf(user, `tls://localhost:${ports[index]}`, password)).join();
    const nats = await connectNats({ url, tls: { caFile: certificates.ca }, name: user, log, streamReplicas });
    connections.push(nats);
    return nats;
  };
  const ensured = (nats: NatsConnection) =>
    waitFor(() => ensureEventStream(nats).then(() => true), { description: 'the stream exists' });
  const stateOf = async (nats: NatsConnection) => {
    const { config, state, cluster } = await (await nats.jetstreamManager()).streams.info(eventStream.name);
    return { replicas: config.num_replicas, messages: state.messages, cluster };
  };
  const untilCurrent = (nats: NatsConnection) =>
    waitFor(
      async () => {
        const { cluster } = await stateOf(nats);
        const others = cluster?.replicas ?? [];
        return cluster?.leader !== undefined && others.length === 2 && others.every(({ current }) => current);
      },
      { description: 'every replica is current' },
    );
  let published = 0;
  const publish = async (nats: NatsConnection, count: number) => {
    for (let each = 0; each < count; each += 1) {
      const msgID = `event-${published}`;
      const send = () => nats.jetstream({ timeout: 2_000 }).publish('events.crm.lead.created', '{}', { msgID });
      await waitFor(() => send().then(() => true), { description: 'the stream takes an event' });
      published += 1;
    }
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mostrador-nats-cluster-'));
    certificates = makeCertificates();
    const free = await freePorts(6);
    [ports, routes] = [free.slice(0, 3), free.slice(3)];
    await Promise.all(nodes.map(startNode));
  });
  afterAll(async () => {
    await Promise.all(connections.map((nats) => nats.close()));
    await Promise.all(servers.map((server) => server.stop(5_000)));
    rmSync(folder, { recursive: true, force: true });
    certificates?.remove();
  });

  test('a stream without the setting has one replica, and the setting raises it and never lowers it', async () => {
    const plain = await connectAs('crm');
    await ensured(plain);
    expect(await stateOf(plain)).toMatchObject({ replicas: 1 });
    const three = await connectAs('crm', 3);
    await ensured(three);
    expect(await stateOf(three)).toMatchObject({ replicas: 3 });
    for (const nats of [plain, await connectAs('crm', 1)]) await ensured(nats);
    await untilCurrent(plain);
    expect(await stateOf(plain)).toMatchObject({ replicas: 3 });
  });

  test('more replicas than nodes are told in the log, and events flow', async () => {
    const log = silentLog();
    const warned = vi.spyOn(log, 'warn');
    const nats = await connectAs('messaging', 5, log);
    await ensured(nats);
    expect(warned.mock.calls.map(([, text]) => text)).toContain('the event stream does not get NATS_STREAM_REPLICAS');
    expect(await stateOf(nats)).toMatchObject({ replicas: 3 });
  });

  test('with three replicas any node may die, rejoin, and another one die: no event is lost', async () => {
    const nats = await connectAs('crm', 3);
    await publish(nats, 20);
    for (let round = 0; round < 2; round += 1) {
      const { cluster } = await stateOf(nats);
      const leader = Number(cluster?.leader?.replace('nats-', '')) - 1;
      await killNode(leader);
      await publish(nats, 20);
      await startNode(leader);
      await waitFor(() => isConnected(nats), { description: 'connected' });
      await untilCurrent(nats);
    }
    expect(await stateOf(nats)).toMatchObject({ replicas: 3, messages: published });
  });
});
