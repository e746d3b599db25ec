import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { localDirectory as localDirectoryOf, root } from '@mostrador/local-platform/paths';
import { startOtlpReceiver } from '@mostrador/testing/otlp-receiver';
import { outputFileOf, startLocalPlatform, tail } from '@mostrador/testing/platform/local-platform';
import { runFolders } from '@mostrador/testing/platform/run-folder';
import { startOpenIdServer } from '@mostrador/testing/providers/openid/server';
import type { TestProject } from 'vitest/node';
import { prepareTemporal } from './temporal.ts';

/** Where the tests find the platform and its files. */
export type PlatformAddresses = {
  localDirectory: string;
  outputFile: string;
  root: string;
  /** Answers a request when the platform is ready. The first one starts it. */
  startUrl: string;
  temporalControlUrl: string;
  /** Temporal's HTTP API. */
  temporalHttpUrl: string;
  /** The collector of the platform's traces, which answers `GET /traces/<id>`. */
  collectorUrl: string;
  /** The deadline of a request. */
  requestTimeoutMs: number;
};

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the library's
  interface ProvidedContext {
    platform: PlatformAddresses;
    /** Whether the file may stop processes of the platform: no other one runs. */
    alone: boolean;
  }
}

/** Only a machine that stands still needs so long. A page does not repeat a change that it sees refused. */
const requestTimeoutMs = 30_000;

/**
 * Provides the platform of the end-to-end tests of all projects, which `started.ts` starts before the first of them: until
 * then it would take processor time from other tests. It starts as `npm start` does, with its own data folder. Temporal
 * is started separately, so that a test can stop it.
 */
export default async function providePlatform({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  if ('platform' in vitest.getProvidedContext()) return undefined;
  const runs = runFolders(join(localDirectoryOf(process.env), 'e2e'));
  await runs.removeDead();
  const folder = runs.create();
  const temporal = await prepareTemporal(folder);
  const provider = await startOpenIdServer();
  const collector = await startOtlpReceiver();
  const start = async () => {
    await temporal.start();
    return startLocalPlatform({
      root,
      folder,
      durable: false,
      environment: {
        TEMPORAL_ADDRESS: temporal.address,
        REQUEST_TIMEOUT_MS: String(requestTimeoutMs),
        // The receivers of webhooks are on this machine.
        WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
        // People may sign in with an account of this provider.
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: provider.client.id,
        OIDC_CLIENT_SECRET: provider.client.secret,
        OIDC_NAME: 'Example',
        // Invented amounts, so that a store can have a budget.
        WHATSAPP_RATES_FILE: join(root, 'docs/operations/whatsapp-rates.example.json'),
        // Each person of a test comes from a network of their own: sign-ins are limited by network.
        TRUSTED_PROXIES: '127.0.0.1',
        // Only requests of tests that ask for it with `traceparent` are traced.
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_TRACES_SAMPLER: 'parentbased_always_off',
        TRUST_TRACEPARENT: 'true',
        // A test searches the logs for secrets.
        LOG_LEVEL: 'debug',
      },
    });
  };
  let platform: ReturnType<typeof start> | undefined;
  const starter = createServer((_request, response) => {
    platform ??= start();
    platform.then(
      () => response.end(),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => starter.listen(0, '127.0.0.1', resolve));
  vitest.provide('platform', {
    localDirectory: folder,
    outputFile: outputFileOf(folder),
    root,
    startUrl: `http://127.0.0.1:${(starter.address() as AddressInfo).port}`,
    temporalControlUrl: temporal.controlUrl,
    temporalHttpUrl: temporal.httpUrl,
    collectorUrl: collector.url,
    requestTimeoutMs,
  });
  return async () => {
    starter.close();
    const started = await platform?.catch(() => undefined);
    const fault = await started?.stop();
    await Promise.all([temporal, provider, collector].map((server) => server.close()));
    if (fault) throw new Error(`${fault}\n${tail(outputFileOf(folder))}`);
    rmSync(folder, { recursive: true, force: true });
  };
}
