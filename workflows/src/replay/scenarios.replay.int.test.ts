import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorkflowStage, type WorkflowStage } from '../../test/stage.ts';
import { recordingFolder } from './record.ts';
import { scenarios } from './scenarios.ts';

let stage: WorkflowStage;
beforeAll(async () => {
  stage = await startWorkflowStage();
});
afterAll(() => stage?.stop());

describe('a workflow that has just run replays', () => {
  test.each(Object.entries(scenarios))('%s', async (name, play) => {
    const { workflow } = await play(stage);
    const history = await workflow.fetchHistory();
    await Worker.runReplayHistory({ workflowBundle: stage.bundle }, history, workflow.workflowId);
    expect(history.events?.length).toBeGreaterThan(5);
    const folder = process.env[recordingFolder];
    if (folder) await keep(join(folder, `${name}.json`), historyToJSON(history));
  });
});

/** Writes the history with one event a line, so a reviewer sees which events a change of the code adds. */
async function keep(file: string, history: string): Promise<void> {
  // Worker and queue names contain the process id and host name, which must not be committed.
  const { events } = JSON.parse(history.replaceAll(/"\d+@[^"]*"/g, '"recorder"')) as { events: unknown[] };
  await writeFile(file, `{"events":[\n${events.map((event) => JSON.stringify(event)).join(',\n')}\n]}\n`);
}
