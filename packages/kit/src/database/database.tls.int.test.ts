import { chownSync, copyFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { silentLog } from '@mostrador/testing/context';
import { type Certificates, canMakeCertificates, makeCertificates } from '@mostrador/testing/servers/certificates';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from './database.ts';

const log = silentLog();
const settings = ['ssl_cert_file', 'ssl_key_file', 'ssl'];

describe.skipIf(!canMakeCertificates)('PostgreSQL with TLS', () => {
  let certificates: Certificates;
  let postgres: TestDatabase;
  const opened: Database[] = [];
  const trusted = getCACertificates('default');

  beforeAll(async () => {
    certificates = makeCertificates();
    postgres = await createTestDatabase('crm');
    const { adminSql } = postgres;
    const [directory] = await adminSql`select setting as path from pg_settings where name = 'data_directory'`;
    const { uid, gid } = statSync(directory?.path);
    for (const [file, name] of [
      [certificates.server.cert, 'tls.pem'] as const,
      [certificates.server.key, 'tls.key'] as const,
    ]) {
      const copy = join(directory?.path, name);
      copyFileSync(file, copy);
      chownSync(copy, uid, gid);
    }
    // All tests share the server. Connections without TLS are not affected.
    for (const [name, value] of [
      ['ssl_cert_file', 'tls.pem'],
      ['ssl_key_file', 'tls.key'],
      ['ssl', 'on'],
    ]) {
      await adminSql.unsafe(`alter system set ${name} = '${value}'`);
    }
    await reload('on');
  });
  afterAll(async () => {
    setDefaultCACertificates(trusted);
    await Promise.all(opened.map((each) => each.close()));
    for (const name of settings) await postgres?.adminSql.unsafe(`alter system reset ${name}`);
    await reload('off');
    await postgres?.drop();
    certificates?.remove();
  });

  const reload = async (ssl: string) => {
    const { adminSql } = postgres;
    await adminSql`select pg_reload_conf()`;
    await waitFor(async () => (await adminSql`show ssl`)[0]?.ssl === ssl, { description: `ssl is ${ssl}` });
  };
  const connected = (mode: string, host: string): Database => {
    const url = new URL(postgres.url);
    url.hostname = host;
    url.searchParams.set('sslmode', mode);
    const database = createDatabase({ url: url.href, size: 1, log, name: 'tls' });
    opened.push(database);
    return database;
  };
  const isSecured = async (database: Database): Promise<unknown> => {
    const scope = { storeId: '00000000-0000-0000-0000-000000000000', deadline: Date.now() + 30_000 };
    const [row] = await database.read(scope, (sql) => sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`);
    return row?.ssl;
  };

  test('sslmode=verify-full connects over TLS to a server whose authority is trusted', async () => {
    setDefaultCACertificates([...trusted, readFileSync(certificates.ca, 'utf8')]);
    expect(await isSecured(connected('verify-full', 'localhost'))).toBe(true);
  });

  test('sslmode=verify-full does not connect to a server whose authority is not trusted', async () => {
    setDefaultCACertificates([...trusted, readFileSync(certificates.otherCa, 'utf8')]);
    await expect(connected('verify-full', 'localhost').ping()).rejects.toThrow();
  });

  test('sslmode=require connects over TLS without checking the certificate', async () => {
    setDefaultCACertificates(trusted);
    expect(await isSecured(connected('require', '127.0.0.1'))).toBe(true);
  });
});
