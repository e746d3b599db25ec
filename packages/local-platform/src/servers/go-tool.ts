import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../../../infra/local/lock.mjs';
import { createChildren } from '../children.ts';
import { cacheDirectory } from '../paths.ts';
import { findOnPath } from './find-on-path.ts';

export type GoTool = {
  name: string;
  title: string;
  module: string;
  package: string;
  version: string;
  /** Versions of dependencies above those that the tool asks for, by module. */
  requires?: Readonly<Record<string, string>>;
};

const progressEveryMs = 10_000;

/** The path of this version of a tool. The file name has the versions, because a Go build does not report them. */
export const toolPath = (tool: GoTool, env: NodeJS.ProcessEnv): string =>
  join(cacheDirectory(env), 'go', 'bin', [tool.name, tool.version, ...Object.values(tool.requires ?? {})].join('-'));

export const cachedGoTool = (tool: GoTool, env: NodeJS.ProcessEnv): string | undefined => {
  const path = toolPath(tool, env);
  return existsSync(path) ? path : undefined;
};

/** Compiles the tool with the machine's Go inside our cache, and reports progress. Throws when Go is missing. */
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
      // An interrupted build keeps this folder, and the next build continues from it.
      const workspace = join(home, `building-${tool.name}`);
      await install(go, tool, goEnvironment(env, home, workspace), report);
      const path = toolPath(tool, env);
      mkdirSync(join(home, 'bin'), { recursive: true });
      renameSync(join(workspace, tool.name), path);
      // Sources and objects take some gigabytes and are no longer needed.
      rmSync(workspace, { recursive: true, force: true });
      return path;
    },
  );
}

function goEnvironment(env: NodeJS.ProcessEnv, home: string, workspace: string): NodeJS.ProcessEnv {
  const configuration = process.platform === 'darwin' ? 'Library/Application Support' : '.config';
  return {
    ...env,
    // Keeps the user's own Go settings, such as a proxy, and puts Go's telemetry into the cache.
    GOENV: env.GOENV || join(env.XDG_CONFIG_HOME || join(homedir(), configuration), 'go', 'env'),
    XDG_CONFIG_HOME: join(home, 'config'),
    GOPATH: workspace,
    GOMODCACHE: join(workspace, 'mod'),
    GOCACHE: join(workspace, 'build'),
    GOFLAGS: '-modcacherw -mod=mod',
    CGO_ENABLED: '0',
  };
}

async function install(
  go: string,
  tool: GoTool,
  env: NodeJS.ProcessEnv,
  report: (text: string) => void,
): Promise<void> {
  const workspace = env.GOPATH ?? '';
  // A module of our own, because `go install` takes no versions of dependencies.
  const required = Object.entries({ [tool.module]: tool.version, ...tool.requires });
  const lines = required.map(([module, version]) => `require ${module} ${version}\n`);
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(workspace, 'go.mod'), `module build\n\ngo 1.21\n\n${lines.join('')}`);
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const counts = { downloaded: 0, compiled: 0 };
  report(`building ${tool.title} ${tool.version} from source, once (a few minutes at most)`);
  const child = createChildren(join(workspace, 'children.json')).start(
    {
      name: 'go',
      command: go,
      args: ['-C', workspace, 'build', '-v', '-ldflags=-s -w', '-o', tool.name, `${tool.module}${tool.package}`],
      env,
      stopSignal: 'SIGTERM',
      isReady: async () => true,
    },
    (line) => {
      if (line.startsWith('go: downloading')) counts.downloaded += 1;
      else counts.compiled += 1;
    },
  );
  // Kills the whole process group at exit, so that Ctrl-C leaves no compiler running.
  const endGroup = () => {
    if (!child.hasExited()) process.kill(-child.pid, 'SIGKILL');
  };
  process.once('exit', endGroup);
  const progress = setInterval(() => {
    const { downloaded, compiled } = counts;
    report(`${tool.title}: ${downloaded} modules downloaded, ${compiled} packages compiled, ${seconds()} s`);
  }, progressEveryMs);
  const how = await child.exited;
  clearInterval(progress);
  process.removeListener('exit', endGroup);
  if (how !== 'exit code 0') throw new Error(`\`go build\` of ${tool.title} failed (${how}):\n${child.tail()}`);
  report(`${tool.title} built in ${seconds()} s`);
}
