import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHealth } from '@mostrador/kit/process/health';
import { createMetrics } from '@mostrador/kit/process/metrics';
import { silentLog } from '@mostrador/testing/context';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../services/gateway/src/app.ts';
import { createFollowers } from '../../services/gateway/src/events/followers.ts';
import { publicPaths } from './public-paths.ts';

/** The paths in the tree that Fastify prints: `├── /leads (GET, HEAD)`, with four characters for each level. */
function pathsOf(tree: string): string[] {
  const above: string[] = [];
  return [...tree.matchAll(/^(.*)[├└]── (\S+) \((.*)\)$/gm)].flatMap(([, indent = '', segment = '', methods]) => {
    const level = indent.length / 4;
    above.splice(level, above.length, `${above[level - 1] ?? ''}${segment}`);
    // `@fastify/cors` answers preflight requests of every path.
    return methods === 'OPTIONS' ? [] : [above[level] ?? ''];
  });
}

test('the fuzzer sends requests to every path that the gateway serves, and to no path that is gone', async () => {
  const unused = {} as never;
  const consoleDirectory = mkdtempSync(join(tmpdir(), 'console-'));
  onTestFinished(() => rmSync(consoleDirectory, { recursive: true }));
  writeFileSync(join(consoleDirectory, 'index.html'), '');
  mkdirSync(join(consoleDirectory, 'assets'));
  const app = await createApp({
    ...{ directory: unused, usage: unused, rpc: unused },
    followers: createFollowers({ log: silentLog() }),
    health: createHealth({ required: {} }),
    metrics: createMetrics('gateway'),
    log: silentLog(),
    settings: {
      publicUrl: 'http://127.0.0.1:9',
      requestTimeoutMs: 1_000,
      maximumConnections: 10,
      connectionTimeoutMs: 30_000,
      corsOrigins: 'https://store.example',
      consoleDirectory,
    },
  });
  const served = pathsOf(app.printRoutes({ commonPrefix: false }));
  await app.close();
  expect(served).toContain('/sandbox/:token/messages');
  expect([...publicPaths].toSorted()).toEqual(served.toSorted());
});
