import { reportClosing, reportServices } from '@mostrador/contracts/workflows';
import { createRandom } from '@mostrador/testing/random';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPlatform } from '../chaos/exact/stage.ts';
import { eras } from './cases.ts';
import { createHistory, type Era } from './history.ts';
import { insertHistory } from './insert-history.ts';

let platform: Awaited<ReturnType<typeof startPlatform>>;
beforeAll(async () => {
  platform = await startPlatform({
    service: 'scheduling',
    processes: ['gateway', 'crm', 'messaging', 'scheduling', 'workflows'],
    schedules: true,
  });
  const store = await platform.newStore();
  await insertHistory(platform.database.adminSql, createHistory(createRandom(1), store.id, eras.UTC as Era));
});
afterAll(() => platform?.stop());

const scheduleOf = (service: (typeof reportServices)[number]) =>
  platform.temporal.client.schedule.getHandle(reportClosing.scheduleId(service));

const closedUntil = async (service: string): Promise<Date> => {
  const [row] = await platform.database.adminSql`
    select closed_until from ${platform.database.adminSql(`${service}.report_closing`)}`;
  return row?.closed_until;
};

test('the worker creates the schedules, and a run of each closes the reports of its service up to the last quarter-hour', async () => {
  // A quarter-hour, and 5 minutes for facts that are not settled yet.
  const notBefore = Date.now() - 20 * 60_000;
  for (const service of reportServices) {
    await waitFor(() => scheduleOf(service).describe(), { description: `the schedule of ${service}` });
    await scheduleOf(service).trigger();
  }
  for (const service of reportServices) {
    await waitFor(async () => (await closedUntil(service)).getTime() > notBefore, {
      description: `the reports of ${service} are closed`,
    });
    const run = await waitFor(async () => (await scheduleOf(service).describe()).info.recentActions[0], {
      description: `the schedule of ${service} shows its run`,
    });
    const workflow = platform.temporal.client.workflow.getHandle(run.action.workflow.workflowId);
    const closed: { closedUntil: string } = await workflow.result();
    expect(Date.parse(closed.closedUntil), service).toBeGreaterThan(notBefore);
  }
});
