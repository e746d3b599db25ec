import { join } from 'node:path';
import { silentLog } from '@mostrador/testing/context';
import type { Logger } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeWorkflowBundle } from '../bundle.ts';
import { installRuntime } from '../runtime.ts';
import { currentRecordings, recordings, replayRecordings } from './recordings.ts';
import { scenarios } from './scenarios.ts';

let logger: Logger;

beforeAll(() => {
  logger = installRuntime(silentLog());
});

test('the folder has exactly one recorded history for each scenario', () => {
  const expected = Object.keys(scenarios).map((name) => `${name}.json`);
  expect([...currentRecordings].sort()).toEqual(expected.sort());
});

const replayOn = async (code: string) =>
  await replayRecordings(await makeWorkflowBundle(join(import.meta.dirname, code), logger));

describe('the current code replays every recorded history', () => {
  let replayed: Awaited<ReturnType<typeof replayOn>>;
  beforeAll(async () => {
    replayed = await replayOn('../workflows.ts');
  });

  test.each(recordings)('%s', (file) => {
    expect([replayed.has(file), replayed.get(file)]).toEqual([true, undefined]);
  });
});

describe('every recorded history detects a change that is not behind a patch', () => {
  let replayed: Awaited<ReturnType<typeof replayOn>>;
  beforeAll(async () => {
    replayed = await replayOn('fixtures/unpatched.workflow.ts');
  });

  test.each(recordings)('%s', (file) => {
    expect(String(replayed.get(file))).toMatch(/[Nn]on-?determinism|TMPRL1100/);
  });
});
