import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Set while the scenarios' test is to keep the histories that it made. */
export const recordingFlag = 'RECORD_HISTORIES';

/**
 * Records every scenario anew: `node_modules/.bin/node workflows/src/replay/record.ts`. For a new scenario, or after
 * every workflow that a recording stands for has ended everywhere. Afterwards keep only the files that were to change.
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
