import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, createWriteStream, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type GoTool, toolPath } from './go-tool.ts';

const answerWithinMs = 4000;
const stalledAfterMs = 20_000;

/** `sha256` has the hash of each archive, by platform and architecture: `linux-amd64`. */
export type DownloadedTool = GoTool & { sha256: Readonly<Record<string, string>> };

/**
 * Downloads the Temporal project's own build from where its SDKs get it. Gives up after 4 s without an answer. An
 * archive without a pinned hash is not downloaded, and one with another hash is never unpacked.
 */
export async function downloadTool(
  tool: DownloadedTool,
  env: NodeJS.ProcessEnv,
  report: (text: string) => void,
  origin = 'https://temporal.download',
): Promise<string> {
  const platform = { linux: 'linux', darwin: 'darwin' }[process.platform as string];
  const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
  if (!platform || !arch) throw new Error(`${tool.title} has no download for ${process.platform}-${process.arch}.`);
  const pinned = tool.sha256[`${platform}-${arch}`];
  if (!pinned) throw new Error(`${tool.title} has no pinned hash for ${platform}-${arch}.`);
  const url = `${origin}/cli/archive/${tool.version}?platform=${platform}&arch=${arch}`;
  const path = toolPath(tool, env);
  const folder = join(dirname(path), `downloading-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  try {
    await fetchTo(url, join(folder, 'archive.tar.gz'), (text) => report(`${tool.title}: ${text}`));
    const hash = createHash('sha256')
      .update(readFileSync(join(folder, 'archive.tar.gz')))
      .digest('hex');
    if (hash !== pinned) throw new Error('its SHA-256 is not the pinned one');
    const unpacked = spawnSync('tar', ['-xzf', 'archive.tar.gz', tool.name], { cwd: folder, encoding: 'utf8' });
    if (unpacked.status !== 0) throw new Error(unpacked.error?.message ?? unpacked.stderr);
    chmodSync(join(folder, tool.name), 0o755);
    const version = spawnSync(join(folder, tool.name), ['--version'], { encoding: 'utf8' }).stdout ?? '';
    if (!version.includes(tool.version.slice(1))) throw new Error(`it is not ${tool.version}`);
    renameSync(join(folder, tool.name), path);
    return path;
  } catch (error) {
    // The message of fetch is only "fetch failed". The reason is its cause.
    const { message, cause } = error as Error & { cause?: Error };
    throw new Error(`${tool.title} could not be downloaded from ${url}: ${cause?.message || message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
