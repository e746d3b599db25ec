import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { histories } from './recordings.ts';

/** The environment variable that names the folder to which the scenarios' test writes its histories. */
export const recordingFolder = 'RECORD_HISTORIES';

const root = join(import.meta.dirname, '../../..');

/** Runs every scenario, and writes its history to the folder. Returns whether all of them passed. */
export function recordScenarios(folder: string): boolean {
  // Only one reporter: the results that `.ci/run` counts are those of `npm test`.
  const test = ['--project', 'replay', '--reporter', 'dot'];
  const { status } = spawnSync(process.execPath, ['infra/local/test.ts', ...test], {
    cwd: root,
    env: { ...process.env, [recordingFolder]: folder },
    stdio: 'inherit',
  });
  return status === 0;
}

/**
 * Records every scenario: `node_modules/.bin/node workflows/src/replay/record.ts`. Run it for a new scenario, or when
 * no workflow of the recorded version is open anywhere. Then revert every file that should not change.
 */
if (import.meta.main) process.exitCode = recordScenarios(histories) ? 0 : 1;
