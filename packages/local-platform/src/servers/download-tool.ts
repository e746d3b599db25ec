import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, createWriteStream, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type GoTool, toolPath } from './go-tool.ts';

const answerWithinMs = 4000;
const stalledAfterMs = 20_000;

export type DownloadedTool = GoTool & {
  origin: string;
  /** The path of an archive at the origin, and of the program in it. Platform and architecture are Go's words. */
  archive: (version: string, platform: string, arch: string) => { path: string; program: string };
  /** The hash of each archive, by platform and architecture: `linux-amd64`. */
  sha256: Readonly<Record<string, string>>;
};

/**
 * Downloads a project's own build. Gives up after 4 s without an answer. An archive without a pinned hash is not
 * downloaded, and one with another hash is never unpacked.
 */
export async function downloadTool(
  tool: DownloadedTool,
  env: NodeJS.ProcessEnv,
  report: (text: string) => void,
): Promise<string> {
  const platform = { linux: 'linux', darwin: 'darwin' }[process.platform as string];
  const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
  if (!platform || !arch) throw new Error(`${tool.title} has no download for ${process.platform}-${process.arch}.`);
  const pinned = tool.sha256[`${platform}-${arch}`];
  if (!pinned) throw new Error(`${tool.title} has no pinned hash for ${platform}-${arch}.`);
  const { path, program } = tool.archive(tool.version, platform, arch);
  const url = `${tool.origin}${path}`;
  try {
    return await keepTool(tool, env, async (folder) => {
      const archive = join(folder, 'archive.tar.gz');
      await fetchTo(url, archive, (text) => report(`${tool.title}: ${text}`));
      const hash = createHash('sha256').update(readFileSync(archive)).digest('hex');
      if (hash !== pinned) throw new Error('its SHA-256 is not the pinned one');
      const unpacked = spawnSync('tar', ['-xzf', archive, program], { cwd: folder, encoding: 'utf8' });
      if (unpacked.status !== 0) throw new Error(unpacked.error?.message ?? unpacked.stderr);
      return join(folder, program);
    });
  } catch (error) {
    // The message of fetch is only "fetch failed". The reason is its cause.
    const { message, cause } = error as Error & { cause?: Error };
    throw new Error(`${tool.title} could not be downloaded from ${url}: ${cause?.message || message}`);
  }
}

/** Keeps the program that `obtain` puts into an empty folder, if it is the tool's version. Returns its path. */
export async function keepTool(
  tool: GoTool,
  env: NodeJS.ProcessEnv,
  obtain: (folder: string) => Promise<string>,
): Promise<string> {
  const path = toolPath(tool, env);
  mkdirSync(dirname(path), { recursive: true });
  const folder = mkdtempSync(join(dirname(path), 'downloading-'));
  try {
    const program = await obtain(folder);
    chmodSync(program, 0o755);
    const version = spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '';
    if (!version.includes(tool.version.slice(1))) throw new Error(`it is not ${tool.version}`);
    renameSync(program, path);
    return path;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The tool from the first source that has it. Throws `advice` and what each source said when none has it. */
export async function firstOf(sources: readonly (() => Promise<string>)[], advice: string): Promise<string> {
  const tried: string[] = [];
  for (const obtain of sources) {
    try {
      return await obtain();
    } catch (error) {
      tried.push(`- ${(error as Error).message.trimEnd()}`);
    }
  }
  throw new Error(`${advice}\n${tried.join('\n')}`);
}

async function fetchTo(url: string, file: string, report: (text: string) => void): Promise<void> {
  const abort = new AbortController();
  let timer = setTimeout(() => abort.abort(new Error('no answer')), answerWithinMs);
  try {
    const response = await fetch(url, { signal: abort.signal });
    if (!response.ok || !response.body) throw new Error(`it answered ${response.status}`);
    const megabytes = Math.round(Number(response.headers.get('content-length') ?? 0) / 1e6);
    report(`downloading${megabytes ? ` ${megabytes} MB` : ''}`);
    const body = Readable.fromWeb(response.body as import('node:stream/web').ReadableStream);
    body.on('data', () => {
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(new Error('it stalled')), stalledAfterMs);
    });
    await pipeline(body, createWriteStream(file));
  } finally {
    clearTimeout(timer);
  }
}
