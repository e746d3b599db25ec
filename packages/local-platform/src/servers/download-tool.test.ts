import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../ports.ts';
import { type DownloadedTool, downloadTool } from './download-tool.ts';
import { cachedGoTool, toolPath } from './go-tool.ts';

const temporalTool = {
  ...{ name: 'temporal', title: 'The server', module: '', package: '', version: 'v1.5.1' },
  archive: (version: string, platform: string, arch: string) => ({
    path: `/${version}?for=${platform}-${arch}`,
    program: 'in/temporal',
  }),
};
const target = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
/** The tool with the hash of the archive that the origin serves. */
const pinned = (origin: string): DownloadedTool => {
  const hash = createHash('sha256')
    .update(readFileSync(join(folder, 'archive.tar.gz')))
    .digest('hex');
  return { ...temporalTool, origin, sha256: { [target]: hash } };
};
let folder: string;
let env: NodeJS.ProcessEnv;
let server: Server | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mostrador-download-'));
  env = { XDG_CACHE_HOME: join(folder, 'cache') };
});

afterEach(async () => {
  await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  server = undefined;
  rmSync(folder, { recursive: true });
});

/** Packs a program that runs this command, in a folder and not executable, as some archives have it. */
function pack(command: string): void {
  mkdirSync(join(folder, 'in'), { recursive: true });
  writeFileSync(join(folder, 'in/temporal'), `#!/bin/sh\n${command}\n`);
  chmodSync(join(folder, 'in/temporal'), 0o644);
  spawnSync('tar', ['-czf', 'archive.tar.gz', 'in'], { cwd: folder });
}

/** Serves an archive with a program that reports this version. Returns the address. */
async function originWith(version: string): Promise<string> {
  pack(`echo temporal version ${version}`);
  const port = await freePort();
  server = createServer((request, response) => {
    if (request.url === `/v1.5.1?for=${target}`) response.end(readFileSync(`${folder}/archive.tar.gz`));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
  return `http://127.0.0.1:${port}`;
}

test('a download is stored under its version and can be executed', async () => {
  const origin = await originWith('1.5.1');
  const path = await downloadTool(pinned(origin), env, () => {});
  expect(path).toBe(toolPath(temporalTool, env));
  expect(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout).toContain('1.5.1');
  expect(cachedGoTool(temporalTool, env)).toBe(path);
});

test('a download of another version is rejected and leaves no files', async () => {
  const origin = await originWith('1.4.0');
  await expect(downloadTool(pinned(origin), env, () => {})).rejects.toThrow('it is not v1.5.1');
  expect(existsSync(toolPath(temporalTool, env))).toBe(false);
  expect(readdirSync(dirname(toolPath(temporalTool, env)))).toEqual([]);
});

test('a download with another hash, or without a pinned one, is not run and leaves no files', async () => {
  const origin = await originWith('1.5.1');
  // The program would leave this file.
  const ran = join(folder, 'ran');
  const tool = pinned(origin);
  pack(`touch ${ran}; echo temporal version 1.5.1`);
  await expect(downloadTool(tool, env, () => {})).rejects.toThrow('its SHA-256 is not the pinned one');
  await expect(downloadTool({ ...tool, sha256: {} }, env, () => {})).rejects.toThrow('has no pinned hash');
  expect([existsSync(ran), existsSync(toolPath(tool, env))]).toEqual([false, false]);
  expect(readdirSync(dirname(toolPath(tool, env)))).toEqual([]);
});

test('the error for an unreachable origin contains its address', async () => {
  const origin = `http://127.0.0.1:${await freePort()}`;
  const tool = { ...temporalTool, origin, sha256: { [target]: 'any' } };
  await expect(downloadTool(tool, env, () => {})).rejects.toThrow(`could not be downloaded from ${origin}`);
});
