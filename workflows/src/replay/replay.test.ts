import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@mostrador/testing/context';
import { type Logger, Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeWorkflowBundle, type WorkflowBundle } from '../bundle.ts';
import { installRuntime } from '../runtime.ts';
import { scenarios } from './scenarios.ts';

const folder = join(import.meta.dirname, 'histories');
const histories = (subfolder: string) =>
  readdirSync(join(folder, subfolder))
    .filter((file) => file.endsWith('.json'))
    .map((file) => join(subfolder, file));
/** With those of earlier versions, whose workflows may still be open somewhere. */
const recorded = [...histories('.'), ...histories('before-local-first')];
let logger: Logger;

const replay = (workflowBundle: WorkflowBundle, file: string) =>
  Worker.runReplayHistory({ workflowBundle }, JSON.parse(readFileSync(join(folder, file), 'utf8')), file);

beforeAll(() => {
  logger = installRuntime(silentLog());
});

test('the folder has exactly one recorded history for each scenario', () => {
  const expected = Object.keys(scenarios).map((name) => `${name}.json`);
  expect(histories('.').sort()).toEqual(expected.sort());
});

describe('the current code replays every recorded history', () => {
  let bundle: WorkflowBundle;
  beforeAll(async () => {
    bundle = await makeWorkflowBundle(join(import.meta.dirname, '../workflows.ts'), logger);
  });

  test.each(recorded)('%s', async (file) => {
    await replay(bundle, file);
  });
});

describe('every recorded history detects a change that is not behind a patch', () => {
  let bundle: WorkflowBundle;
  beforeAll(async () => {
    bundle = await makeWorkflowBundle(join(import.meta.dirname, 'fixtures/unpatched.workflow.ts'), logger);
  });

  test.each(recorded)('%s', async (file) => {
    await expect(replay(bundle, file)).rejects.toThrow(/[Nn]on-?determinism|TMPRL1100/);
  });
});
