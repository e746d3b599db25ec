import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { recordScenarios } from './record.ts';

// `npm run replay`: replays what this version's workflows write on the worker of the last release. While a version is
// rolled out, both workers take tasks of the same workflows: docs/operations/rollout.md, "Changes of workflow code".

const root = join(import.meta.dirname, '../../..');
const help = `npm run replay [-- --commit COMMIT]

Runs every scenario of workflows/src/replay/scenarios.ts on this version, and replays the new histories on the
worker of another version. Exits with 1 when that worker rejects one of them.

  --commit COMMIT   the other version; default: that of workflows/src/replay/last-release.json`;

const { values } = parseArgs({ options: { commit: { type: 'string' }, help: { type: 'boolean' } } });
if (values.help) {
  console.log(help);
} else {
  const lastRelease = JSON.parse(readFileSync(join(import.meta.dirname, 'last-release.json'), 'utf8'));
  process.exitCode = replayOn(values.commit ?? lastRelease.commit) ? 0 : 1;
}

function replayOn(commit: string): boolean {
  const checkout = checkOut(commit);
  const folder = mkdtempSync(join(tmpdir(), 'mostrador-histories-'));
  try {
    if (!recordScenarios(folder)) return false;
    const files = readdirSync(folder).map((name) => join(folder, name));
    const worker = join(checkout, 'node_modules/.bin/node');
    console.log(`Replaying ${files.length} new histories on the worker of ${commit.slice(0, 8)}:`);
    return run(worker, [join(import.meta.dirname, 'replay-worker.ts'), checkout, ...files], checkout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A checkout of the commit, with its dependencies. It is kept for the next run, and others are removed. */
function checkOut(commit: string): string {
  const resolved = spawnSync('git', ['rev-parse', '--verify', `${commit}^{commit}`], { cwd: root, encoding: 'utf8' });
  const name = resolved.stdout.trim();
  if (resolved.status !== 0) {
    throw new Error(`This clone does not have the commit ${commit}. Fetch the whole history: git fetch --unshallow.`);
  }
  const checkouts = join(root, '.local/last-release');
  const checkout = join(checkouts, name);
  if (!existsSync(checkout)) {
    rmSync(checkouts, { recursive: true, force: true });
    mkdirSync(checkout, { recursive: true });
    const archive = spawnSync('git', ['archive', name], { cwd: root, maxBuffer: 1 << 30 });
    const unpacked = spawnSync('tar', ['-x', '-C', checkout], { input: archive.stdout });
    if (archive.status !== 0 || unpacked.status !== 0) throw new Error(`${name} could not be checked out.`);
  }
  if (!run(process.execPath, [join(checkout, 'infra/local/bootstrap.mjs')], checkout)) {
    throw new Error(`The dependencies of ${name} could not be installed.`);
  }
  return checkout;
}

function run(command: string, args: readonly string[], cwd: string): boolean {
  return spawnSync(command, args, { cwd, env: { ...process.env, CI: 'true' }, stdio: 'inherit' }).status === 0;
}
