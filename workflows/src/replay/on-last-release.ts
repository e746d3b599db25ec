import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkOut, lastRelease } from '@mostrador/testing/platform/check-out';
import { recordScenarios } from './record.ts';

// `npm run replay`: replays what this version's workflows write on the worker of the last release. While a version is
// rolled out, both workers take tasks of the same workflows: docs/operations/rollout.md, "Changes of workflow code".

const help = `npm run replay [-- --commit COMMIT]

Runs every scenario of workflows/src/replay/scenarios.ts on this version, and replays the new histories on the
worker of another version. Exits with 1 when that worker rejects one of them.

  --commit COMMIT   the other version; default: that of workflows/src/replay/last-release.json`;

const { values } = parseArgs({ options: { commit: { type: 'string' }, help: { type: 'boolean' } } });
if (values.help) {
  console.log(help);
} else {
  process.exitCode = replayOn(values.commit ?? lastRelease()) ? 0 : 1;
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

function run(command: string, args: readonly string[], cwd: string): boolean {
  return spawnSync(command, args, { cwd, env: { ...process.env, CI: 'true' }, stdio: 'inherit' }).status === 0;
}
