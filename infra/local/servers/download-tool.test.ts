import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../ports.ts';
import { downloadTool } from './download-tool.ts';
import { cachedGoTool, toolPath } from './go-tool.ts';

const temporalTool = { name: 'temporal', title: 'The server', module: '', package: '', version: 'v1.5.1' };
const target = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
/** The tool with the hash of the archive that the origin serves. */
const pinned = () => {
  const hash = createHash('sha256')
    .update(readFileSync(join(folder, 'archive.tar.gz')))
    .digest('hex');
  return { ...temporalTool, sha256: { [target]: hash } };
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

/** Serves an archive with a program that reports this version. Returns the address. */
async function originWith(version: string): Promise<string> {
  writeFileSync(join(folder, 'temporal'), `#!/bin/sh\necho temporal version ${version}\n`);
  chmodSync(join(folder, 'temporal'), 0o644);
  spawnSync('tar', ['-czf', 'archive.tar.gz', 'temporal'], { cwd: folder });
  const port = await freePort();
  server = createServer((request, response) => {
    if (request.url?.startsWith('/cli/archive/v1.5.1?platform='))
      response.end(readFileSync(`${folder}/archive.tar.gz`));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
  return `http://127.0.0.1:${port}`;
}

test('a download is stored under its version and can be executed', async () => {
  const origin = await originWith('1.5.1');
  const path = await downloadTool(pinned(), env, () => {}, origin);
  expect(path).toBe(toolPath(temporalTool, env));
  expect(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout).toContain('1.5.1');
  expect(cachedGoTool(temporalTool, env)).toBe(path);
});

test('a download of another version is rejected and leaves no files', async () => {
  const origin = await originWith('1.4.0');
  await expect(downloadTool(pinned(), env, () => {}, origin)).rejects.toThrow('it is not v1.5.1');
  expect(existsSync(toolPath(temporalTool, env))).toBe(false);
  expect(readdirSync(dirname(toolPath(temporalTool, env)))).toEqual([]);
});

test('a download with another hash, or without a pinned one, is not run and leaves no files', async () => {
  const origin = await originWith('1.5.1');
  // The program would leave this file.
  const ran = join(folder, 'ran');
  writeFileSync(join(folder, 'temporal'), `#!/bin/sh\ntouch ${ran}\necho temporal version 1.5.1\n`);
  const tool = pinned();
  spawnSync('tar', ['-czf', 'archive.tar.gz', 'temporal'], { cwd: folder });
  await expect(downloadTool(tool, env, () => {}, origin)).rejects.toThrow('its SHA-256 is not the pinned one');
  await expect(downloadTool({ ...tool, sha256: {} }, env, () => {}, origin)).rejects.toThrow('has no pinned hash');
  expect([existsSync(ran), existsSync(toolPath(tool, env))]).toEqual([false, false]);
  expect(readdirSync(dirname(toolPath(tool, env)))).toEqual([]);
});

test('the error for an unreachable origin contains its address', async () => {
  const origin = `http://127.0.0.1:${await freePort()}`;
  const tool = { ...temporalTool, sha256: { [target]: 'any' } };
  await expect(downloadTool(tool, env, () => {}, origin)).rejects.toThrow(`could not be downloaded from ${origin}`);
});
