import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Worker } from '@temporalio/worker';
import type { WorkflowBundle } from '../bundle.ts';

/** The folder of all recorded histories. */
export const histories = join(import.meta.dirname, 'histories');

/** Every recorded history: a path below `histories/`. Those in a folder are of earlier code: see `scenarios`. */
export const recordings = readdirSync(histories, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(relative(histories, parentPath), name));

/** Those of the current code. */
export const currentRecordings = recordings.filter((file) => dirname(file) === '.');

/**
 * Replays all recorded histories on one worker. A history whose second value is `undefined` was replayed; else that is why
 * the bundle's code does not do what it says.
 */
export async function replayRecordings(
  workflowBundle: WorkflowBundle,
): Promise<ReadonlyMap<string, Error | undefined>> {
  const named = recordings.map((file) => ({
    workflowId: file,
    history: JSON.parse(readFileSync(join(histories, file), 'utf8')),
  }));
  const results = new Map<string, Error | undefined>();
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, named)) {
    results.set(workflowId, error);
  }
  return results;
}
