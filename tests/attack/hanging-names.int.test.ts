// Found from outside (S1): a store chose names whose servers never answer. Each occupied one of the two threads that libuv
// lends to `getaddrinfo`. 20 of them made another store's webhook fail after 15 s, and a look-up for PostgreSQL wait 78 s.
import { randomUUID } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createServer, getCACertificates, type Server, setDefaultCACertificates } from 'node:tls';
import { createWebhookEndpoint, testWebhookEndpoint } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { startWebhookReceiver, type WebhookReceiver } from '@mostrador/testing/providers/webhook-receiver/server';
import { type Certificates, canMakeCertificates, makeCertificates } from '@mostrador/testing/servers/certificates';
import { type NameServer, startNameServer } from '@mostrador/testing/servers/name-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEvents, type TestEvents } from '../../services/events/test/events.ts';
import { appendTo } from '../../services/events/test/webhooks.ts';

const hanging = 40;
/** How much longer others may wait. */
const boundMs = 1_000;
/** Webhooks go to two ports only, so another test of this machine needs another address. */
const ports = [8443, 443];
const receiverAddress = `127.${[0, 1, 2].map(() => 1 + Math.floor(Math.random() * 250)).join('.')}`;
/** With the name in the certificate. */
let receiverUrl: string;

let names: NameServer;
let events: TestEvents;
let receiver: WebhookReceiver;
let tls: Server;
let certificates: Certificates;
const trusted = getCACertificates('default');

describe.skipIf(!canMakeCertificates)('hanging names', () => {
  beforeAll(async () => {
    certificates = makeCertificates();
    setDefaultCACertificates([...trusted, readFileSync(certificates.ca, 'utf8')]);
    names = await startNameServer((name, family) => {
      if (name !== 'server.test') return 'silent';
      return family === 4 ? [receiverAddress] : [];
    });
    receiver = await startWebhookReceiver();
    // A connection that is kept needs no name.
    receiver.answer(() => ({ status: 200, headers: { connection: 'close' } }));
    const [key, cert] = [readFileSync(certificates.server.key), readFileSync(certificates.server.cert)];
    tls = createServer({ key, cert }, (socket) => {
      const onward = connect(receiver.port, '127.0.0.1');
      for (const end of [socket, onward]) end.on('error', () => {});
      socket.pipe(onward).pipe(socket);
    });
    const taken: unknown[] = [];
    for (const port of ports) {
      // Another program may listen at all addresses.
      const isMine = await once(tls.listen(port, receiverAddress), 'listening').catch(
        (error) => void taken.push(error),
      );
      if (!isMine) continue;
      receiverUrl = `https://server.test:${port}/hooks`;
      break;
    }
    if (!tls.listening) throw new Error(`no port for the receiver is free: ${taken}`);
    const limits = { callMs: 15_000, leaseMs: 20_000 };
    events = await startEvents({ allowHosts: '127.0.0.0/8', dnsServers: names.address, limits });
    events.startSender();
  });
  afterAll(async () => {
    setDefaultCACertificates(trusted);
    await events?.stop();
    tls?.close();
    await receiver?.close();
    await names?.close();
    certificates?.remove();
  });

  /** How long each of these takes for another store and for the rest of the process, in milliseconds. */
  async function measure(storeId: string, endpointId: string) {
    const took = async (work: () => Promise<unknown>) => {
      const begun = performance.now();
      await work();
      return performance.now() - begun;
    };
    const known = receiver.received.length;
    const [webhook, testing, creation, systemLookup] = await Promise.all([
      took(async () => {
        await appendTo(events, storeId, [randomUUID()]);
        await expect.poll(() => receiver.received.length, { interval: 5 }).toBeGreaterThanOrEqual(known + 2);
      }),
      took(() => events.rpc.call(testWebhookEndpoint, { params: { endpointId } }, testContext({ storeId }))),
      took(() => create(randomUUID(), receiverUrl)),
      // As the clients of PostgreSQL and NATS do.
      took(() => lookup('localhost', { all: true })),
    ]);
    return { webhook, testing, creation, systemLookup };
  }

  const create = (storeId: string, url: string) =>
    events.rpc.call(createWebhookEndpoint, { body: { url, max_in_flight: 20 } }, testContext({ storeId }));

  // A busy machine is late at times. A service in which others wait for the attacker is so each time.
  test(`${hanging} of one store delay others by less than a second`, { timeout: 120_000, retry: 4 }, async () => {
    const [attacker, other] = [randomUUID(), randomUUID()];
    const endpoint = await create(other, receiverUrl);
    receiver.trust(endpoint.secret);
    const before = await measure(other, endpoint.id);

    // Every endpoint and every attempt asks for a name.
    const created = Array.from({ length: hanging }, (_, index) =>
      create(attacker, `https://hang-${index}.${attacker}.example/`).catch((error) => error),
    );
    await expect.poll(() => names.asked.filter((question) => question.includes(attacker)).length).toBeGreaterThan(8);
    const duringChecks = await measure(other, endpoint.id);
    await Promise.all(created);
    await appendTo(
      events,
      attacker,
      Array.from({ length: 100 }, () => randomUUID()),
    );
    const asked = names.asked.length;
    await expect.poll(() => names.asked.length).toBeGreaterThan(asked);
    const duringAttempts = await measure(other, endpoint.id);

    for (const during of [duringChecks, duringAttempts]) {
      for (const what of Object.keys(before) as (keyof typeof before)[]) {
        expect({ what, ms: during[what] - before[what] }).toEqual({ what, ms: expect.toSatisfy((ms) => ms < boundMs) });
      }
    }
    expect(receiver.faults).toEqual([]);
  });
});
