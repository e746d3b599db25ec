import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canMakeCertificates, makeCertificates } from '@mostrador/testing/servers/certificates';
import { Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { certificateVariables, exportCertificates } from './certificates.ts';

test.skipIf(!canMakeCertificates)(
  'the expiry of each configured certificate is exported, and that of a replaced file',
  async () => {
    const files = makeCertificates();
    onTestFinished(() => files.remove());
    const registry = new Registry();
    let nowMs = 0;
    const config = { NATS_TLS_CA: files.ca, NATS_TLS_CERT: files.server.cert, TEMPORAL_TLS_CERT: '/no/such/file' };
    exportCertificates({ registry }, config, () => nowMs, { NODE_EXTRA_CA_CERTS: files.ca });
    const expiries = async () =>
      [...(await registry.metrics()).matchAll(/_seconds\{variable="(\w+)"\} (\d+)/g)].map(([, name, at]) => [
        name,
        Math.round((Number(at) * 1000 - Date.now()) / 3_600_000),
      ]);
    expect(await expiries()).toEqual([
      ['NATS_TLS_CA', 720],
      ['NATS_TLS_CERT', 720],
      ['NODE_EXTRA_CA_CERTS', 720],
    ]);
    writeFileSync(files.server.cert, 'no certificate');
    expect(await expiries()).toHaveLength(3);
    nowMs = 60_000;
    expect(await expiries()).toEqual([
      ['NATS_TLS_CA', 720],
      ['NODE_EXTRA_CA_CERTS', 720],
    ]);
  },
);

test('every variable that names a file with certificates is watched', () => {
  const source = readFileSync(join(import.meta.dirname, 'config.ts'), 'utf8');
  const named = [...source.matchAll(/^ {2}(\w+): File\('the (?:CA )?certificate/gm)].map(([, name]) => name);
  expect(named.toSorted()).toEqual([...certificateVariables].toSorted());
});
