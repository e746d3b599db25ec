import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { entityWorkflows } from '@mostrador/contracts';
import { silentLog } from '@mostrador/testing/context';
import { canMakeCertificates } from '@mostrador/testing/servers/certificates';
import { startTlsTemporal, type TlsTemporal } from '@mostrador/testing/servers/temporal-tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectTemporal, type Temporal } from './temporal.ts';
import { identityOf, temporalAddress } from './temporal-address.ts';

const log = silentLog();

describe.skipIf(!canMakeCertificates)('Temporal behind TLS', () => {
  let secured: TlsTemporal;
  const opened: Temporal[] = [];

  beforeAll(async () => {
    secured = await startTlsTemporal();
  });
  afterAll(async () => {
    await Promise.all(opened.map((each) => each.close()));
    await secured?.close();
  });

  const connected = (config: Parameters<typeof temporalAddress>[0], identity?: string): Temporal => {
    const made = connectTemporal({ ...temporalAddress(config), namespace: secured.temporal.namespace, identity, log });
    opened.push(made);
    return made;
  };

  test('accepts a client with the authority, a certificate and its key, and records its identity', async () => {
    const row = { storeId: randomUUID(), entityId: randomUUID() };
    await connected(secured.environment, identityOf('crm')).signalWithStart('appointment', row, 'created');
    const handle = secured.temporal.client.workflow.getHandle(entityWorkflows.appointment.workflowId(row.entityId));
    const { events } = await handle.fetchHistory();
    const identity = `crm@${hostname()}:${process.pid}`;
    expect(events?.[0]?.workflowExecutionStartedEventAttributes?.identity).toBe(identity);
    await handle.terminate();
  });

  test('accepts a server name that differs from the address', async () => {
    await connected({ ...secured.environment, TEMPORAL_TLS_SERVER_NAME: 'server.test' }).ping();
  });

  test('an API key is sent with each call, and only over TLS', async () => {
    const { server: own, ca } = secured.certificates;
    const server = createSecureServer({ cert: readFileSync(own.cert), key: readFileSync(own.key) });
    const heard = new Promise<string | undefined>((resolve) => {
      server.on('stream', (stream, headers) => {
        resolve(headers.authorization);
        stream.respond(
          { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '16' },
          { endStream: true },
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const config = { TEMPORAL_ADDRESS: address, TEMPORAL_TLS: false, TEMPORAL_API_KEY: 'key-of-temporal' };
    await expect(connected({ ...config, TEMPORAL_TLS_CA: ca }).ping()).rejects.toThrow();
    expect(await heard).toBe('Bearer key-of-temporal');
    expect(temporalAddress(config).tls).toEqual({});
    server.close();
  });
});

test('a certificate without its key is rejected before any connection', () => {
  const config = { TEMPORAL_ADDRESS: 'temporal:7233', TEMPORAL_TLS: true, TEMPORAL_TLS_CERT: 'client.pem' };
  expect(() => temporalAddress(config)).toThrow('TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY must be set together');
});

test('without a TLS variable the connection has no TLS', () => {
  const config = { TEMPORAL_ADDRESS: 'temporal:7233', TEMPORAL_TLS: false };
  expect(temporalAddress(config)).toEqual({ address: 'temporal:7233' });
});
