import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { localDirectory } from '@mostrador/local-platform/paths';
import { freePorts } from '@mostrador/local-platform/ports';
import { type GrpcProxy, startGrpcProxy } from '@mostrador/testing/proxy/grpc-proxy';
import { canMakeCertificates } from '@mostrador/testing/servers/certificates';
import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { startTlsTemporal, type TlsTemporal } from '@mostrador/testing/servers/temporal-tls';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

describe.skipIf(!canMakeCertificates)('the worker', () => {
  let nats: TestNats;
  let secured: TlsTemporal;
  let guarded: GrpcProxy;
  let closed: Http2SecureServer;
  let worker: ChildProcess;

  beforeAll(async () => {
    [nats, secured] = await Promise.all([startTestNats(), startTlsTemporal()]);
    guarded = await startGrpcProxy(secured.temporal.address);
    const { server } = secured.certificates;
    closed = createSecureServer({ cert: readFileSync(server.cert), key: readFileSync(server.key) });
    closed.on('stream', (stream) => {
      // UNAUTHENTICATED
      const refusal = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '16' };
      stream.on('error', () => {}).respond(refusal, { endStream: true });
    });
    await once(closed.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => void worker?.kill('SIGKILL'));
  afterAll(async () => {
    closed?.close();
    await Promise.all([guarded?.close(), secured?.close(), nats?.stop()]);
  });

  type Answer = { ready: boolean; dependencies: Record<string, { state: string; detail?: string }> };
  /** Starts the process with these changes to the settings that are right. Returns how to read its readiness. */
  const start = async (change: Record<string, string>): Promise<() => Promise<Answer>> => {
    const [port] = await freePorts(1);
    const given = Object.entries(secured.environment).map(([name, value]) => [name, String(value)]);
    worker = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        WORKFLOW_BUNDLE_CACHE: join(localDirectory(process.env), 'cache/workflows'),
        NATS_URL: nats.url,
        ...Object.fromEntries(given),
        TEMPORAL_NAMESPACE: secured.temporal.namespace,
        // The server's certificate is for this name, which Temporal's own client does not take from an IP address.
        TEMPORAL_TLS_SERVER_NAME: 'server.test',
        HEALTH_PORT: String(port),
        LOG_LEVEL: 'silent',
        ...change,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).json() as Promise<Answer>;
  };
  const until = (read: () => Promise<Answer>, holds: (answer: Answer) => boolean, description: string) =>
    waitFor(async () => holds(await read()), { description });
  const noTls = {
    ...{ TEMPORAL_TLS_CA: '', TEMPORAL_TLS_CERT: '', TEMPORAL_TLS_KEY: '' },
    TEMPORAL_TLS_SERVER_NAME: '',
  };

  test.each<[string, () => Record<string, string>, string]>([
    [
      'without the client certificate that Temporal requires',
      () => ({ TEMPORAL_TLS_CERT: '', TEMPORAL_TLS_KEY: '' }),
      'set TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY',
    ],
    ['with another CA', () => ({ TEMPORAL_TLS_CA: secured.certificates.otherCa }), 'set TEMPORAL_TLS_CA'],
    ['without TLS for a server with it', () => noTls, 'requires TLS: set TEMPORAL_TLS=true'],
    [
      'with an API key that Temporal rejects',
      () => ({
        TEMPORAL_ADDRESS: `127.0.0.1:${(closed.address() as AddressInfo).port}`,
        TEMPORAL_API_KEY: 'key-of-temporal',
      }),
      'rejects the credentials: check TEMPORAL_API_KEY',
    ],
    ['with a namespace that does not exist', () => ({ TEMPORAL_NAMESPACE: 'nowhere' }), 'no namespace nowhere'],
  ])('is not ready %s, and says what to do', async (_, change, text) => {
    const read = await start(change());
    const says = ({ ready, dependencies }: Answer) => !ready && !!dependencies.temporal?.detail?.includes(text);
    await until(read, says, `the reason: ${text}`);
  });

  test('is not ready with a credential that may read the namespace, but not take tasks', async () => {
    guarded.deny('PollWorkflowTaskQueue', 'PollActivityTaskQueue');
    const read = await start({ ...noTls, TEMPORAL_ADDRESS: guarded.address });
    const denied = ({ dependencies }: Answer) =>
      dependencies.temporal?.state === 'up' && !!dependencies.temporal_namespace?.detail?.includes('denies access');
    await until(read, denied, 'the namespace to be denied');
    expect((await read()).ready).toBe(false);
    guarded.deny();
    await until(read, ({ ready }) => ready, 'readiness once it is allowed');
  });

  test('says while Temporal is down that it does not answer, and is ready by itself when it is up', async () => {
    secured.proxy.cut();
    const read = await start({});
    const down = ({ ready, dependencies }: Answer) =>
      !ready && !!dependencies.temporal?.detail?.includes('Its work waits') && dependencies.nats?.state === 'up';
    await until(read, down, 'the reason');
    secured.proxy.mend();
    await until(read, ({ ready }) => ready, 'readiness');
  });
});
