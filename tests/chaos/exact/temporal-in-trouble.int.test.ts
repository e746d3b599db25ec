import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Creation, everywhere, makeEach, newCreation, settled, untilMade } from './creation.ts';
import { type Stage, type Store, startStage } from './stage.ts';

let stage: Stage;
let store: Store;

beforeAll(async () => {
  stage = await startStage({ processes: ['gateway', 'crm', 'scheduling', 'workflows'] });
  store = await stage.newStore();
});
afterAll(() => stage?.stop());

test.each(['cut', 'freeze'] as const)(
  'while Temporal is away (%s) appointments are created, and afterwards each has one workflow and one event',
  async (trouble) => {
    await settled(stage);
    const { temporal, workflowsTemporal } = stage.proxies;
    temporal[trouble]();
    workflowsTemporal[trouble]();
    const creations = Array.from({ length: 20 }, () => newCreation(stage, store));
    // A busy machine may refuse some of twenty at once.
    await Promise.all(creations.map(untilMade));
    temporal.mend();
    workflowsTemporal.mend();
    const ids = await makeEach(stage, creations);
    await settled(stage);
    const { inCalendar, published, runs } = await everywhere(stage);
    for (const [index, id] of ids.entries()) {
      const creation = creations[index] as Creation;
      expect([inCalendar(creation), published(id), await runs(id)]).toEqual([1, 1, 1]);
    }
  },
);

test.each(['terminated', 'lost'] as const)('the sweep restarts a waiting workflow that was %s', async (what) => {
  await stage.radicale.stop();
  const creation = newCreation(stage, store);
  const answer = await untilMade(creation);
  const { id } = JSON.parse(answer.text) as { id: string };
  const { adminSql } = stage.database;
  await waitFor(
    async () => {
      const [sync] = await adminSql`select last_error_code from calendar_syncs where appointment_id = ${id}`;
      return sync?.last_error_code;
    },
    { description: 'the first attempt has failed' },
  );
  const { workflow, workflowService } = stage.temporal.client;
  const handle = workflow.getHandle(`appointment:${id}`);
  if (what === 'terminated') await handle.terminate();
  else {
    const { namespace } = stage.temporal;
    await workflowService.deleteWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: handle.workflowId },
    });
    await waitFor(
      () =>
        handle.describe().then(
          () => false,
          () => true,
        ),
      { description: 'the workflow is gone' },
    );
  }
  await stage.radicale.start();
  // Make the row overdue by a minute, so that the sweep wakes it.
  await adminSql`update calendar_syncs set next_attempt_at = next_attempt_at - interval '1 minute' where appointment_id = ${id}`;
  await settled(stage);
  const { inCalendar } = await everywhere(stage);
  expect(inCalendar(creation)).toBe(1);
});
