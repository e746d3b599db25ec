import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The environment variable that makes the scenarios' test write its histories to disk. */
export const recordingFlag = 'RECORD_HISTORIES';

/**
 * Records every scenario: `node_modules/.bin/node workflows/src/replay/record.ts`. Run it for a new scenario, or when
 * no workflow of the recorded version is open anywhere. Then revert every file that should not change.
 */
if (import.meta.main) {
  const root = join(import.meta.dirname, '../../..');
  const test = ['infra/local/test.ts', '--project', 'int', 'workflows/src/replay'];
  const { status } = spawnSync(process.execPath, test, {
    cwd: root,
    env: { ...process.env, [recordingFlag]: '1' },
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
