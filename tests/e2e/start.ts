import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { localDirectory as localDirectoryOf, root } from '@mostrador/local-platform/paths';
import { startOtlpReceiver } from '@mostrador/testing/otlp-receiver';
import { startLocalPlatform, tail } from '@mostrador/testing/platform/local-platform';
import { runFolders } from '@mostrador/testing/platform/run-folder';
import { startOpenIdServer } from '@mostrador/testing/providers/openid/server';
import type { TestProject } from 'vitest/node';
import { startTemporal } from './temporal.ts';

/** Where the tests find the platform and its files. */
export type PlatformAddresses = {
  localDirectory: string;
  outputFile: string;
  root: string;
  temporalControlUrl: string;
  /** Temporal's HTTP API. */
  temporalHttpUrl: string;
  /** The collector of the platform's traces, which answers `GET /traces/<id>`. */
  collectorUrl: string;
};

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the library's
  interface ProvidedContext {
    platform: PlatformAddresses;
    /** Whether the file may stop processes of the platform: no other one runs. */
    alone: boolean;
  }
}

/**
 * Starts the platform once for the end-to-end tests of both projects, as `npm start` does, with its own data folder.
 * Temporal is started separately, so that a test can stop it.
 */
export default async function startPlatform({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  if ('platform' in vitest.getProvidedContext()) return undefined;
  const runs = runFolders(join(localDirectoryOf(process.env), 'e2e'));
  await runs.removeDead();
  const folder = runs.create();
  const temporal = await startTemporal(folder);
  const provider = await startOpenIdServer();
  const collector = await startOtlpReceiver();
  const servers = [temporal, provider, collector];
  const platform = await startLocalPlatform({
    root,
    folder,
    environment: {
      TEMPORAL_ADDRESS: temporal.address,
      // The receivers of webhooks are on this machine.
      WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
      // People may sign in with an account of this provider.
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.client.id,
      OIDC_CLIENT_SECRET: provider.client.secret,
      OIDC_NAME: 'Example',
      // Each person of a test comes from a network of their own: sign-ins are limited by network.
      TRUSTED_PROXIES: '127.0.0.1',
      // Only requests of tests that ask for it with `traceparent` are traced.
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
      TRUST_TRACEPARENT: 'true',
      // A test searches the logs for secrets.
      LOG_LEVEL: 'debug',
    },
  }).catch(async (error) => {
    await Promise.all(servers.map((server) => server.close()));
    throw error;
  });
  vitest.provide('platform', {
    localDirectory: folder,
    outputFile: platform.outputFile,
    root,
    temporalControlUrl: temporal.controlUrl,
    temporalHttpUrl: temporal.httpUrl,
    collectorUrl: collector.url,
  });
  return async () => {
    const fault = await platform.stop();
    await Promise.all(servers.map((server) => server.close()));
    if (fault) throw new Error(`${fault}\n${tail(platform.outputFile)}`);
    rmSync(folder, { recursive: true, force: true });
  };
}
