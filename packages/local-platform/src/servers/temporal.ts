import { spawnSync } from 'node:child_process';
import { temporal } from '@mostrador/platform/servers';
import { httpAnswers, type ProcessSpec } from '../children.ts';
import { downloadTool, firstOf } from './download-tool.ts';
import { findOnPath } from './find-on-path.ts';
import { buildGoTool, cachedGoTool } from './go-tool.ts';

const temporalCli = {
  name: 'temporal',
  title: "Temporal's dev server",
  module: 'github.com/temporalio/cli',
  package: '/cmd/temporal',
  version: 'v1.5.1',
  // Its own 1.34.1 answers every later query with `interrupted (9)` after one query was cancelled at a bad moment.
  // 1.51.0 opens a new connection (https://gitlab.com/cznic/sqlite/-/issues/198), and keeps a database in memory (196).
  requires: { 'modernc.org/sqlite': 'v1.51.0' },
  // Where Temporal's SDKs get it.
  origin: 'https://temporal.download',
  archive: (version: string, platform: string, arch: string) => ({
    path: `/cli/archive/${version}?platform=${platform}&arch=${arch}`,
    program: 'temporal',
  }),
  // Of the archives in https://github.com/temporalio/cli/releases/tag/v1.5.1. They change with the version.
  sha256: {
    'linux-amd64': 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
    'linux-arm64': 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
    'darwin-amd64': 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
    'darwin-arm64': 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
  },
};
const serverMinor = 29;

/**
 * The dev server has one shard. By default a shard looks into its queue of tasks 20 times a second, so under load each
 * step of a workflow waited up to 50 ms, twice: docs/adr/0016. A cluster has hundreds of shards.
 */
const settings = { 'history.transferProcessorMaxPollRPS': 200 };

export type TemporalOptions = {
  binary: string;
  /** The server's own home folder, in which it keeps an id. */
  home: string;
  ports: { grpc: number; ui?: number; http: number; metrics: number };
  /** The file that keeps workflows across restarts; without it, they are only in memory. */
  databaseFile?: string;
  namespaces?: string[];
  /** Dynamic configuration of the server, by name, besides `settings`. A value is JSON. */
  dynamicConfig?: Record<string, number | string>;
};

/** Finds the `temporal` command: on PATH, else in the cache, else downloaded, else built once. */
export async function findTemporal(env: NodeJS.ProcessEnv, report: (text: string) => void): Promise<string> {
  const onPath = findOnPath(temporalCli.name, env);
  if (onPath) {
    // A build from source reports 0.0.0-DEV as its version, but the version of its server is right.
    const [, minor] =
      /Server 1\.(\d+)\./.exec(spawnSync(onPath, ['--version'], { encoding: 'utf8' }).stdout ?? '') ?? [];
    if (Number(minor) >= serverMinor) return onPath;
  }
  const cached = cachedGoTool(temporalCli, env);
  if (cached) return cached;
  return firstOf(
    [() => downloadTool(temporalCli, env, report), () => buildGoTool(temporalCli, env, report)],
    'No Temporal server was found. Do one of these: set TEMPORAL_ADDRESS to a running server; put the `temporal` command 1.5 or newer on PATH; allow access to https://temporal.download; install Go (https://go.dev/dl) with access to its module proxy.',
  );
}

export function temporalSpec(options: TemporalOptions): ProcessSpec {
  const { grpc, ui, http, metrics } = options.ports;
  return {
    name: 'temporal',
    command: options.binary,
    args: [
      ...[
        'server',
        'start-dev',
        '--ip',
        '127.0.0.1',
        '--log-level',
        'error',
        '--disable-config-file',
        '--disable-config-env',
      ],
      ...['--port', String(grpc), '--http-port', String(http), '--metrics-port', String(metrics)],
      ...(ui === undefined ? ['--headless'] : ['--ui-port', String(ui)]),
      ...(options.databaseFile
        ? [
            '--db-filename',
            options.databaseFile,
            '--sqlite-pragma',
            'journal_mode=wal',
            '--sqlite-pragma',
            'synchronous=normal',
          ]
        : []),
      ...temporal.searchAttributes.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
      ...(options.namespaces ?? []).flatMap((name) => ['--namespace', name]),
      ...Object.entries({ ...settings, ...options.dynamicConfig }).flatMap(([name, value]) => [
        '--dynamic-config-value',
        `${name}=${value}`,
      ]),
    ],
    env: { ...process.env, HOME: options.home },
    stopSignal: 'SIGINT',
    isReady: () => httpAnswers(`http://127.0.0.1:${http}/api/v1/namespaces/default`),
    // A server that we did not build has the older SQLite: see `requires`.
    needsRestart: (answer) => answer !== true && answer.includes('interrupted (9)'),
  };
}
