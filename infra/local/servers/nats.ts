import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { httpAnswers, type ProcessSpec } from '../children.ts';
import { root } from '../paths.ts';
import { findOnPath } from './find-on-path.ts';
import { buildGoTool, cachedGoTool } from './go-tool.ts';

const natsServer = {
  name: 'nats-server',
  title: 'NATS server',
  module: 'github.com/nats-io/nats-server/v2',
  package: '',
  version: 'v2.15.2',
};

/** Finds nats-server 2.15 or a later 2.x: on PATH, else in the cache, else built once. */
export async function findNats(env: NodeJS.ProcessEnv, report: (text: string) => void): Promise<string> {
  const onPath = findOnPath(natsServer.name, env);
  if (onPath) {
    const [, minor] = /v2\.(\d+)\./.exec(spawnSync(onPath, ['--version'], { encoding: 'utf8' }).stdout ?? '') ?? [];
    if (Number(minor) >= 15) return onPath;
  }
  const cached = cachedGoTool(natsServer, env);
  if (cached) return cached;
  try {
    return await buildGoTool(natsServer, env, report);
  } catch (error) {
    throw new Error(
      `No NATS server was found. Do one of these: set NATS_URL to a running server; put nats-server 2.15 or newer on PATH; install Go (https://go.dev/dl) with access to its module proxy.\n${(error as Error).message}`,
    );
  }
}

export function natsSpec(options: {
  binary: string;
  /** The configuration file. Default: `infra/nats/platform.conf`. */
  config?: string | undefined;
  /** The variables of `infra/nats/users.conf`. */
  passwords: NodeJS.ProcessEnv;
  storeDirectory: string;
  port: number;
  monitorPort: number;
}): ProcessSpec {
  return {
    name: 'nats',
    command: options.binary,
    args: [
      ...[
        '-c',
        options.config ?? join(root, 'infra/nats/platform.conf'),
        '-a',
        '127.0.0.1',
        '-p',
        String(options.port),
      ],
      ...['-m', String(options.monitorPort), '-sd', options.storeDirectory],
    ],
    env: { ...process.env, ...options.passwords },
    stopSignal: 'SIGTERM',
    isReady: () => httpAnswers(`http://127.0.0.1:${options.monitorPort}/healthz?js-enabled-only=true`),
  };
}
