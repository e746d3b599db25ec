import { temporalAddress } from '@mostrador/kit/clients/temporal-address';
import { silentLog } from '@mostrador/testing/context';
import { canMakeCertificates } from '@mostrador/testing/servers/certificates';
import { startTlsTemporal, type TlsTemporal } from '@mostrador/testing/servers/temporal-tls';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectWhenThere } from './temporal-connection.ts';

describe.skipIf(!canMakeCertificates)("the worker's connection to Temporal behind TLS", () => {
  let secured: TlsTemporal;
  let namespace: string;

  beforeAll(async () => {
    secured = await startTlsTemporal();
    namespace = secured.temporal.namespace;
  });
  afterAll(async () => {
    await secured?.close();
  });

  const whole = () => ({ ...secured.environment, TEMPORAL_TLS_SERVER_NAME: 'server.test' });

  test('is established with the CA, a client certificate and its key', async () => {
    const { signal } = new AbortController();
    const address = temporalAddress(whole());
    const connection = connectWhenThere({ address, namespace, log: silentLog(), signal });
    const opened = await connection.opened;
    await connection.ping();
    await connection.checkNamespace();
    await opened.close();
  });

  test('is not established without a client certificate or with another CA', async () => {
    const { otherCa } = secured.certificates;
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
      const { opened } = connectWhenThere({ address, namespace, log, signal: stopping.signal });
      await waitFor(() => refusals >= 2, { description: 'two refused connections' });
      stopping.abort();
      await expect(opened).rejects.toThrow();
    }
  });
});
