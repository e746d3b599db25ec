import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { eventStream } from '@mostrador/contracts';
import { silentLog } from '@mostrador/testing/context';
import { type Certificates, canMakeCertificates, makeCertificates } from '@mostrador/testing/servers/certificates';
import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { waitFor } from '@mostrador/testing/wait';
import { nanos } from 'nats';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectNats, ensureEventStream, isConnected, pingNats } from './nats.ts';

describe('the connection to NATS', () => {
  let server: TestNats;
  beforeEach(async () => {
    server = await startTestNats();
  });
  afterEach(() => server.stop());

  test('detects an outage and reconnects by itself', async () => {
    expect(isConnected(server.nats)).toBe(true);
    await pingNats(server.nats);
    await server.stopServer();
    await waitFor(() => !isConnected(server.nats), { description: 'the loss is noticed' });
    await expect(pingNats(server.nats)).rejects.toThrow('not connected');
    await server.startServer();
    await waitFor(() => isConnected(server.nats), { description: 'connected again' });
    await pingNats(server.nats);
  });

  test('a ping of a hanging server fails within its timeout', async () => {
    server.freezeServer();
    const refusal = () =>
      pingNats(server.nats).then(
        () => undefined,
        (error: Error) => error.message,
      );
    await waitFor(async () => (await refusal()) === 'no answer from NATS', { description: 'the ping gives up' });
    server.thawServer();
    await waitFor(() => pingNats(server.nats).then(() => true), { description: 'it answers again' });
  });

  test('a connection attempt that timed out is closed, so its end does not close the next connection', async () => {
    const way = await holdingWay(server.url);
    const nats = await connectNats({ url: way.url, name: 'test', log: silentLog() });
    way.hold();
    way.cut();
    await waitFor(() => way.met() > 2, { description: 'an attempt timed out and another began' });
    way.goOn();
    await waitFor(() => isConnected(nats), { description: 'connected again' });
    await waitFor(() => way.open() === 1, { description: 'nothing else is open' });
    await pingNats(nats);
    await nats.close();
    await way.close();
  });

  test('a new stream has one replica where there are too few nodes, and the log says so', async () => {
    const log = silentLog();
    const warned = vi.spyOn(log, 'warn');
    const nats = await connectNats({ url: server.url, name: 'test', log, streamReplicas: 3 });
    await ensureEventStream(nats);
    expect(warned.mock.calls.map(([, text]) => text)).toEqual(['the event stream does not get NATS_STREAM_REPLICAS']);
    const { config } = await (await nats.jetstreamManager()).streams.info(eventStream.name);
    expect(config.num_replicas).toBe(1);
    await nats.close();
  });

  test('concurrent calls create one event stream, which drops duplicates and survives a restart', async () => {
    await Promise.all([1, 2, 3].map(() => ensureEventStream(server.nats)));
    const js = server.nats.jetstream();
    await js.publish('events.crm.lead.created', '{}', { msgID: 'a' });
    expect(await js.publish('events.crm.lead.created', '{}', { msgID: 'a' })).toMatchObject({ duplicate: true });
    await server.stopServer();
    await server.startServer();
    await waitFor(() => isConnected(server.nats), { description: 'connected again' });
    await ensureEventStream(server.nats);
    const manager = await server.nats.jetstreamManager();
    const { state } = await manager.streams.info(eventStream.name);
    expect(state.messages).toBe(1);
  });

  test('limits of the event stream that an operator has set stay, and missing subjects are added', async () => {
    await ensureEventStream(server.nats);
    const { streams } = await server.nats.jetstreamManager();
    const limits = { max_bytes: 5 * 1024 ** 2, max_age: nanos(3_600_000), duplicate_window: nanos(60_000) };
    // `events.>` would take the requests to the service `events`.
    for (const subject of ['events.crm.>', 'events.>']) {
      await streams.update(eventStream.name, { ...limits, subjects: [subject, 'other.>'] });
      await ensureEventStream(server.nats);
      const { config } = await streams.info(eventStream.name);
      expect(config).toMatchObject(limits);
      expect(config.subjects.toSorted()).toEqual([...eventStream.subjects, 'other.>']);
    }
  });
});

test('a server whose disk is too small for the event stream is named, with what to do', async () => {
  const small = await startTestNats({ settings: 'jetstream { max_file_store: 100MB }' });
  const creation = ensureEventStream(small.nats);
  await expect(creation).rejects.toThrow(/cannot reserve 1 GiB for the stream EVENTS: give NATS a larger disk/);
  await small.stop();
});

test('while the server rejects the password, the log says so and does not show the password', async () => {
  const settings = `
    authorization { users: [{ user: crm, password: right }, { user: anybody, password: known }] }
    no_auth_user: anybody`;
  const secured = await startTestNats({ settings });
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  void connectNats({ url: secured.url.replace('nats://', 'nats://crm:known-secret@'), name: 'crm', log });
  await waitFor(() => lines.some((line) => /"reason":"[^"]*authorization violation/i.test(line)), {
    description: 'the log names the reason',
  });
  expect(lines.join('')).not.toContain('known-secret');
  await secured.stop();
});

describe.skipIf(!canMakeCertificates)('NATS with TLS', () => {
  let certificates: Certificates;
  let server: TestNats;
  const shown = () => ({ certFile: certificates.client.cert, keyFile: certificates.client.key });

  beforeAll(async () => {
    certificates = makeCertificates();
    const { ca, server: own } = certificates;
    const settings = `tls { cert_file: "${own.cert}", key_file: "${own.key}", ca_file: "${ca}", verify: true }`;
    server = await startTestNats({ settings, tls: { caFile: ca, ...shown() } });
  });
  afterAll(async () => {
    await server?.stop();
    certificates?.remove();
  });

  test('accepts a client with the authority, a certificate and its key', async () => {
    await pingNats(server.nats);
  });

  test.each([
    ['another authority signed its certificate', () => ({ caFile: certificates.otherCa, ...shown() })],
    ['the client has no certificate', () => ({ caFile: certificates.ca })],
  ])('gets no connection when %s', async (_why, tls) => {
    const { url, attempts, close } = await countingWay(server.url);
    let connected = false;
    void connectNats({ url, tls: tls(), name: 'refused', log: silentLog() }).then(() => {
      connected = true;
    });
    await waitFor(() => attempts() >= 3, { description: 'it has tried three times' });
    expect(connected).toBe(false);
    close();
  });
});

test('with a tls address the client sends no password to a server without TLS', async () => {
  const plain = await startTestNats();
  const { url, attempts, sent, close } = await countingWay(plain.url);
  void connectNats({ url: url.replace('nats://', 'tls://crm:known-secret@'), name: 'crm', log: silentLog() });
  await waitFor(() => attempts() >= 3, { description: 'it has tried three times' });
  expect(sent()).not.toContain('known-secret');
  close();
  await plain.stop();
});

test('an invalid address is rejected without being shown', async () => {
  const secret = { url: 'nats://crm:known-secret@:not a port', name: 'crm', log: silentLog() };
  const refusal = await connectNats(secret).catch((error: unknown) => error);
  expect(refusal).toEqual(new Error('NATS_URL is not an address such as nats://user:password@host:4222'));
});

/** A proxy that counts connections and keeps what clients send. */
async function countingWay(target: string) {
  let attempts = 0;
  let sent = '';
  const server = createServer((near) => {
    attempts += 1;
    const far = connect(Number(new URL(target).port), '127.0.0.1');
    near.on('data', (bytes) => {
      sent += bytes.toString('latin1');
    });
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) socket.on('error', () => {});
    near.on('close', () => far.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `nats://127.0.0.1:${port}`, attempts: () => attempts, sent: () => sent, close: () => server.close() };
}

/** A proxy that can hold connections before they reach the server. */
async function holdingWay(to: string) {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  let met = 0;
  let passing = Promise.withResolvers<void>();
  passing.resolve();
  const way = createServer(async (socket) => {
    met += 1;
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    await passing.promise;
    if (socket.destroyed) return;
    const onward = connect(Number(target.port), target.hostname);
    onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `nats://127.0.0.1:${(way.address() as AddressInfo).port}`,
    /** The number of connections so far, and of open ones. */
    met: () => met,
    open: () => sockets.size,
    hold: () => {
      passing = Promise.withResolvers<void>();
    },
    goOn: () => passing.resolve(),
    cut,
    async close() {
      cut();
      await new Promise((resolve) => way.close(resolve));
    },
  };
}
