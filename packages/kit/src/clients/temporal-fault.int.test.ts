import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { freePorts } from '@mostrador/local-platform/ports';
import { silentLog } from '@mostrador/testing/context';
import { type GrpcProxy, startGrpcProxy } from '@mostrador/testing/proxy/grpc-proxy';
import { startTcpProxy, type TcpProxy } from '@mostrador/testing/proxy/tcp-proxy';
import { canMakeCertificates } from '@mostrador/testing/servers/certificates';
import { startTlsTemporal, type TlsTemporal } from '@mostrador/testing/servers/temporal-tls';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { NoAnswer, NotReady } from '../process/health.ts';
import { connectTemporal, type Temporal } from './temporal.ts';
import { temporalAddress } from './temporal-address.ts';

type Environment = Parameters<typeof temporalAddress>[0];

describe.skipIf(!canMakeCertificates)('a check of Temporal', () => {
  let secured: TlsTemporal;
  let http: Server;
  let plain: TcpProxy;
  let guarded: GrpcProxy;
  const opened: Temporal[] = [];
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    secured = await startTlsTemporal();
    plain = await startTcpProxy(secured.temporal.address);
    guarded = await startGrpcProxy(secured.temporal.address);
    http = createServer((_, response) => response.end('a page')).listen(0, '127.0.0.1');
    await once(http, 'listening');
  });
  afterEach(async () => {
    for (const temporal of opened.splice(0)) await temporal.close();
    for (const child of children.splice(0)) child.kill();
    secured.proxy.mend();
    plain.mend();
    guarded.deny();
  });
  afterAll(async () => {
    http?.close();
    await Promise.all([plain?.close(), guarded?.close(), secured?.close()]);
  });

  const open = (environment: Partial<Environment>, namespace = secured.temporal.namespace): Temporal => {
    const address = temporalAddress({ ...secured.environment, ...environment });
    const temporal = connectTemporal({ ...address, namespace, log: silentLog() });
    opened.push(temporal);
    return temporal;
  };
  const noTls = { TEMPORAL_TLS_CA: undefined, TEMPORAL_TLS_CERT: undefined, TEMPORAL_TLS_KEY: undefined };
  const otherCertificate = (of: 'stranger' | 'server') => ({
    TEMPORAL_TLS_CERT: secured.certificates[of].cert,
    TEMPORAL_TLS_KEY: secured.certificates[of].key,
  });
  const httpAddress = () => `127.0.0.1:${(http.address() as AddressInfo).port}`;
  const failure = (check: () => Promise<void>): Promise<Error> =>
    check().then(
      () => new Error('it passed'),
      (error) => error,
    );
  /** Both checks say the same, and the first may still be looking on a machine that stalls. */
  const eventually = async (temporal: Temporal, kind: typeof NotReady | typeof NoAnswer, text: string) => {
    for (const check of [temporal.checkNamespace, temporal.ping]) {
      const said = await waitFor(
        async () => {
          const error = await failure(check);
          return error.message.includes(text) && error;
        },
        { description: `the reason: ${text}` },
      );
      expect(said).toBeInstanceOf(kind);
    }
  };

  /** A server that ends the handshake with an alert, as Temporal's own does. Node's closes without one. */
  const startStrictServer = async (...options: string[]): Promise<string> => {
    const [port] = await freePorts(1);
    const { server, ca } = secured.certificates;
    const files = ['-cert', server.cert, '-key', server.key, '-CAfile', ca, '-alpn', 'h2'];
    const args = ['s_server', '-accept', `127.0.0.1:${port}`, ...files, '-Verify', '1', '-verify_return_error'];
    const child = spawn('openssl', [...args, ...options]);
    children.push(child);
    let said = '';
    child.stdout.on('data', (text) => {
      said += text;
    });
    await waitFor(() => said.includes('ACCEPT'), { description: 'the server listens' });
    return `127.0.0.1:${port}`;
  };

  test('passes with the settings that Temporal requires', async () => {
    const temporal = open({});
    await temporal.checkNamespace();
    await temporal.ping();
  });

  const missing = 'requires a client certificate: set TEMPORAL_TLS_CERT';
  const rejected = 'rejects the client certificate: TEMPORAL_TLS_CERT';
  const untrusted = 'signed by a CA that this process does not trust: set TEMPORAL_TLS_CA';
  test.each<[string, () => Partial<Environment>, string]>([
    ['there is no client certificate', () => ({ TEMPORAL_TLS_CERT: undefined, TEMPORAL_TLS_KEY: undefined }), missing],
    ['another CA signed the client certificate', () => otherCertificate('stranger'), rejected],
    ['the CA of the server is another', () => ({ TEMPORAL_TLS_CA: secured.certificates.otherCa }), untrusted],
    ['the CA of the server is not set', () => ({ TEMPORAL_TLS_CA: undefined }), untrusted],
    ['the server has another name', () => ({ TEMPORAL_TLS_SERVER_NAME: 'elsewhere.test' }), 'is for another name'],
    ['TLS meets a server without it', () => ({ TEMPORAL_ADDRESS: plain.address }), 'has no TLS at TEMPORAL_ADDRESS'],
    ['TLS meets a page', () => ({ TEMPORAL_ADDRESS: httpAddress() }), 'has no TLS at TEMPORAL_ADDRESS'],
    ['no TLS meets a server with it', () => noTls, 'requires TLS: set TEMPORAL_TLS=true'],
    ['the address leads to a page', () => ({ ...noTls, TEMPORAL_ADDRESS: httpAddress() }), 'is not Temporal: correct'],
  ])('says what is wrong when %s', async (_, change, text) => {
    await eventually(open(change()), NotReady, text);
  });

  test.each([
    ['TLS 1.3', '-tls1_3'],
    ['TLS 1.2', '-tls1_2'],
  ])('understands the alerts of %s about the client certificate', async (_, version) => {
    const TemporalAddress = await startStrictServer(version);
    const none = { TEMPORAL_TLS_CERT: undefined, TEMPORAL_TLS_KEY: undefined };
    await eventually(open({ TEMPORAL_ADDRESS: TemporalAddress, ...none }), NotReady, missing);
    await eventually(open({ TEMPORAL_ADDRESS: TemporalAddress, ...otherCertificate('stranger') }), NotReady, rejected);
  });

  test('says that the namespace does not exist', async () => {
    await eventually(open({}, 'nowhere'), NotReady, 'no namespace nowhere: create it');
  });

  test.each([
    ['nothing listens', async () => ({ TEMPORAL_ADDRESS: `127.0.0.1:${(await freePorts(1))[0]}` }), 'does not answer'],
    ['the name is unknown', async () => ({ TEMPORAL_ADDRESS: 'nowhere.invalid:7233' }), 'does not answer'],
    [
      'connections are cut after the handshake',
      async () => {
        secured.proxy.cut();
        return {};
      },
      'ends the connection after the TLS handshake',
    ],
    [
      'connections without TLS are cut',
      async () => {
        plain.cut();
        return { ...noTls, TEMPORAL_ADDRESS: plain.address };
      },
      'does not answer',
    ],
    [
      'connections hang',
      async () => {
        plain.freeze();
        return { ...noTls, TEMPORAL_ADDRESS: plain.address };
      },
      'does not answer',
    ],
  ])('says that Temporal is down, which proves nothing about the settings, when %s', async (_, change, text) => {
    await eventually(open(await change()), NoAnswer, text);
  });

  test('passes by itself when Temporal is back', async () => {
    const temporal = open({});
    await temporal.ping();
    secured.proxy.cut();
    await eventually(temporal, NoAnswer, 'ends the connection');
    secured.proxy.mend();
    await waitFor(() => temporal.ping().then(() => true), { description: 'the ping passes again' });
    await temporal.checkNamespace();
  });

  test('does not pass with a credential that may read the namespace, but not start workflows', async () => {
    const temporal = open({ ...noTls, TEMPORAL_ADDRESS: guarded.address });
    guarded.deny('SignalWithStartWorkflowExecution');
    const refused = await failure(temporal.checkNamespace);
    expect(refused).toBeInstanceOf(NotReady);
    expect(refused.message).toContain('denies access to the namespace');
    guarded.deny('DescribeNamespace');
    expect((await failure(temporal.ping)).message).toContain('denies access to the namespace');
    // The work needs no list of the search attributes.
    guarded.deny('ListSearchAttributes');
    await temporal.checkNamespace();
  });
});
