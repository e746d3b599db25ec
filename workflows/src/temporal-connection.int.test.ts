import { temporalAddress } from '@mostrador/kit/clients/temporal-address';
import { type Certificates, canMakeCertificates, makeCertificates } from '@mostrador/kit/testing/certificates';
import { silentLog } from '@mostrador/kit/testing/context';
import { type TestTemporal, testTemporal } from '@mostrador/kit/testing/temporal';
import { startTlsProxy, type TlsProxy } from '@mostrador/kit/testing/tls-proxy';
import { waitFor } from '@mostrador/kit/testing/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectWhenThere, pingTemporal } from './temporal-connection.ts';

describe.skipIf(!canMakeCertificates)("the worker's connection to Temporal behind TLS", () => {
  let certificates: Certificates;
  let temporal: TestTemporal;
  let proxy: TlsProxy;

  beforeAll(async () => {
    certificates = makeCertificates();
    temporal = await testTemporal();
    proxy = await startTlsProxy(temporal.address, certificates);
  });
  afterAll(async () => {
    await proxy?.close();
    await temporal?.close();
    certificates?.remove();
  });

  const whole = () => ({
    TEMPORAL_ADDRESS: proxy.address,
    TEMPORAL_TLS: false,
    TEMPORAL_TLS_CA: certificates.ca,
    TEMPORAL_TLS_CERT: certificates.client.cert,
    TEMPORAL_TLS_KEY: certificates.client.key,
    TEMPORAL_TLS_SERVER_NAME: 'server.test',
  });

  test('is made with the authority, a certificate and its key', async () => {
    const { signal } = new AbortController();
    const connection = await connectWhenThere({ address: temporalAddress(whole()), log: silentLog(), signal });
    await pingTemporal(connection);
    await connection.close();
  });

  test('is not made without a certificate, nor with another authority', async () => {
    const { otherCa } = certificates;
    for (const change of [
      { TEMPORAL_TLS_CERT: undefined, TEMPORAL_TLS_KEY: undefined },
      { TEMPORAL_TLS_CA: otherCa },
    ]) {
      const stopping = new AbortController();
      let refusals = 0;
      const count = () => {
        refusals += 1;
      };
      const log = Object.assign(silentLog(), { warn: count });
      const address = temporalAddress({ ...whole(), ...change });
      const connection = connectWhenThere({ address, log, signal: stopping.signal });
      await waitFor(() => refusals >= 2, { description: 'it is refused, and again', timeoutMs: 20_000 });
      stopping.abort();
      await expect(connection).rejects.toThrow();
    }
  });
});
