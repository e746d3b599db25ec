import { join } from 'node:path';
import { silentLog } from '@mostrador/testing/context';
import type { Logger } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeWorkflowBundle, type WorkflowBundle } from '../bundle.ts';
import { installRuntime } from '../runtime.ts';
import { currentRecordings, recordings, replayRecording } from './recordings.ts';
import { scenarios } from './scenarios.ts';

let logger: Logger;

beforeAll(() => {
  logger = installRuntime(silentLog());
});

test('the folder has exactly one recorded history for each scenario', () => {
  const expected = Object.keys(scenarios).map((name) => `${name}.json`);
  expect([...currentRecordings].sort()).toEqual(expected.sort());
});

describe('the current code replays every recorded history', () => {
  let bundle: WorkflowBundle;
  beforeAll(async () => {
    bundle = await makeWorkflowBundle(join(import.meta.dirname, '../workflows.ts'), logger);
  });

  test.each(recordings)('%s', async (file) => {
    await replayRecording(bundle, file);
  });
});

describe('every recorded history detects a change that is not behind a patch', () => {
  let bundle: WorkflowBundle;
  beforeAll(async () => {
    bundle = await makeWorkflowBundle(join(import.meta.dirname, 'fixtures/unpatched.workflow.ts'), logger);
  });

  test.each(recordings)('%s', async (file) => {
    await expect(replayRecording(bundle, file)).rejects.toThrow(/[Nn]on-?determinism|TMPRL1100/);
  });
});
