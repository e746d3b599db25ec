import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { withLock } from '../lock.mjs';
import { cacheDirectory } from '../paths.ts';
import { findOnPath } from './find-on-path.ts';

export interface GoTool {
  name: string;
  title: string;
  module: string;
  package: string;
  version: string;
}

const PROGRESS_EVERY_MS = 10_000;

/** Where a tool of exactly this version is, or will be: the name carries the version, as a Go build does not tell it. */
export const toolPath = (tool: GoTool, env: NodeJS.ProcessEnv): string =>
  join(cacheDirectory(env), 'go', 'bin', `${tool.name}-${tool.version}`);

export const cachedGoTool = (tool: GoTool, env: NodeJS.ProcessEnv): string | undefined => {
  const path = toolPath(tool, env);
  return existsSync(path) ? path : undefined;
};

/** Compiles the tool with the machine's Go, all of it inside our cache; reports how far it is. */
export async function buildGoTool(
  tool: GoTool,
  env: NodeJS.ProcessEnv,
  report: (text: string) => void,
): Promise<string> {
  const go = findOnPath('go', env);
  if (!go) throw new Error(`${tool.title} cannot be built: there is no \`go\` on PATH.`);
  const home = join(cacheDirectory(env), 'go');
  mkdirSync(home, { recursive: true });
  // Two clones that start at once share the cache: the second finds what the first built.
  return withLock(
    `build ${home}`,
    () => report(`waiting for another build in ${home}`),
    async () => {
      const cached = cachedGoTool(tool, env);
      if (cached) return cached;
      const workspace = join(home, `building-${tool.name}`);
      rmSync(workspace, { recursive: true, force: true });
      await install(go, tool, goEnvironment(env, home, workspace), report);
      const path = toolPath(tool, env);
      mkdirSync(join(home, 'bin'), { recursive: true });
      renameSync(join(workspace, 'bin', tool.name), path);
      // Sources and objects are some gigabytes and of no further use.
      rmSync(workspace, { recursive: true, force: true });
      return path;
    },
  );
}

function goEnvironment(env: NodeJS.ProcessEnv, home: string, workspace: string): NodeJS.ProcessEnv {
  const configuration = process.platform === 'darwin' ? 'Library/Application Support' : '.config';
  return {
    ...env,
    // The user's own Go settings (a proxy, say) stay valid, while Go's telemetry is written inside the cache.
    GOENV: env.GOENV || join(env.XDG_CONFIG_HOME || join(homedir(), configuration), 'go', 'env'),
    XDG_CONFIG_HOME: join(home, 'config'),
    GOPATH: workspace,
    GOBIN: join(workspace, 'bin'),
    GOMODCACHE: join(workspace, 'mod'),
    GOCACHE: join(workspace, 'build'),
    GOFLAGS: '-modcacherw',
    CGO_ENABLED: '0',
  };
}

function install(go: string, tool: GoTool, env: NodeJS.ProcessEnv, report: (text: string) => void): Promise<void> {
  const started = Date.now();
  const counts = { downloaded: 0, compiled: 0 };
  const last: string[] = [];
  report(`building ${tool.title} ${tool.version} from source, once (a few minutes at most)`);
  const child = spawn(go, ['install', '-v', '-ldflags=-s -w', `${tool.module}${tool.package}@${tool.version}`], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.startsWith('go: downloading')) counts.downloaded += 1;
    else counts.compiled += 1;
    last.push(line);
    if (last.length > 10) last.shift();
  });
  const progress = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1000);
    report(
      `${tool.title}: ${counts.downloaded} modules downloaded, ${counts.compiled} packages compiled, ${seconds} s`,
    );
  }, PROGRESS_EVERY_MS);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      clearInterval(progress);
      reject(error);
    });
    child.once('exit', (code) => {
      clearInterval(progress);
      if (code === 0) {
        report(`${tool.title} built in ${Math.round((Date.now() - started) / 1000)} s`);
        resolve();
      } else {
        reject(new Error(`\`go install\` of ${tool.title} failed (${code}):\n${last.join('\n')}`));
      }
    });
  });
}
