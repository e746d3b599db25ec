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

/** @throws DeterminismViolationError when the bundle's code does not do what the history says */
export const replayRecording = (workflowBundle: WorkflowBundle, file: string): Promise<void> =>
  Worker.runReplayHistory({ workflowBundle }, JSON.parse(readFileSync(join(histories, file), 'utf8')), file);
