import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { canMakeCertificates, makeCertificates } from '@mostrador/testing/servers/certificates';
import { startTestNats } from '@mostrador/testing/servers/nats';
import { startOwnPostgres } from '@mostrador/testing/servers/own-postgres';
import { expect, onTestFinished, test } from 'vitest';
import { judgeCertificates, readCertificate, tlsServers } from './server-certificates.ts';

const none = { databaseUrl: undefined, natsUrl: undefined, temporal: undefined, publicUrl: undefined };

test.skipIf(!canMakeCertificates)(
  'the certificate of each server is read, and judged 14 days before its end',
  async () => {
    const files = makeCertificates();
    onTestFinished(() => files.remove());
    const { cert, key } = files.server;
    const plain = createServer({ cert: readFileSync(cert), key: readFileSync(key) });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void plain.close());
    const at = `localhost:${(plain.address() as AddressInfo).port}`;
    const [postgres, nats] = await Promise.all([
      startOwnPostgres({ tls: { cert, key } }),
      startTestNats({ settings: `tls { cert_file: "${cert}", key_file: "${key}" }`, tls: { caFile: files.ca } }),
    ]);
    onTestFinished(async () => void (await Promise.all([postgres.stop(), nats.stop()])));
    const servers = tlsServers({
      databaseUrl: postgres.url,
      natsUrl: nats.url,
      temporal: { address: at, tls: {} },
      publicUrl: `https://${at}/`,
    });
    const read = await Promise.all(servers.map((server) => readCertificate(server, AbortSignal.timeout(10_000))));
    expect(read.map((each) => each?.name)).toEqual(['PostgreSQL', 'NATS', 'Temporal', 'PUBLIC_URL']);
    const certificates = read.flatMap((each) => each ?? []);
    const [{ validTo } = { validTo: new Date() }] = certificates;
    const severities = (days: number) =>
      judgeCertificates(certificates, new Date(+validTo - days * 86_400_000)).map(({ severity }) => severity);
    expect(severities(15)).toEqual([]);
    expect(severities(13)).toEqual(Array(4).fill('warning'));
    expect(severities(0)).toEqual(Array(4).fill('critical'));
  },
);

test('a server without TLS, or that does not answer, is no finding', async () => {
  const nats = await startTestNats();
  onTestFinished(() => nats.stop());
  const servers = tlsServers({ ...none, natsUrl: nats.url, publicUrl: 'https://127.0.0.1:1/' });
  expect(servers).toHaveLength(2);
  const read = await Promise.all(servers.map((server) => readCertificate(server, AbortSignal.timeout(10_000))));
  expect(read).toEqual([undefined, undefined]);
});

test('an address may have several hosts', () => {
  const databaseUrl = 'postgres://u:p%40@a.internal:5433,[::1]/mostrador?target_session_attrs=read-write';
  const natsUrl = 'tls://crm:x@n1:4222,tls://n2:4223';
  expect(tlsServers({ ...none, databaseUrl, natsUrl }).map(({ host, port }) => [host, port])).toEqual([
    ['a.internal', 5433],
    ['::1', 5432],
    ['n1', 4222],
    ['n2', 4223],
  ]);
});
