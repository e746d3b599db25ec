import { stepLimits } from '@mostrador/contracts/workflows';
import type { Hold, TcpProxy } from '@mostrador/testing/proxy/tcp-proxy';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Creation, everywhere, newCreation, oneRow, settled, untilMade } from './creation.ts';
import { type Stage, type Store, startStage } from './stage.ts';

// One kill of the worker hits the calendar step at four points, with one appointment at each.

let stage: Stage;
let store: Store;
const points: Record<'before' | 'asked' | 'taken' | 'answered', { creation: Creation; id: string }> = {} as never;

const heldIds = () => (['asked', 'taken', 'answered'] as const).map((point) => points[point].id);

async function standAt(point: keyof typeof points, hold: Hold): Promise<void> {
  const creation = newCreation(stage, store);
  await untilMade(creation);
  await hold.reached;
  points[point] = { creation, id: await oneRow(stage, creation) };
}

beforeAll(async () => {
  stage = await startStage({ processes: ['gateway', 'crm', 'scheduling', 'workflows'] });
  store = await stage.newStore();
  const { calendar, workflowsNats }: Record<string, TcpProxy> = stage.proxies;
  let [request, answer] = [calendar.holdRequest('PUT /'), undefined as Hold | undefined];
  for (;;) {
    const since = performance.now();
    await standAt('asked', request);
    answer = calendar.holdAnswer('PUT /');
    await standAt('taken', answer);
    const delivery = workflowsNats.holdDelivery(' _INBOX_workflows');
    await standAt('answered', delivery);
    // On a slow machine a held call may have reached its limit, and its step would have a second attempt.
    if (performance.now() - since < stepLimits.callMs / 2) break;
    for (const hold of [request, answer, delivery]) hold.release();
    await settled(stage);
    request = calendar.holdRequest('PUT /');
  }
  await stage.kill('workflows');
  // scheduling finishes its requests although the worker that waited for them is gone.
  request.release();
  answer.release();
});
afterAll(() => stage?.stop());

test('without a worker appointments are created, and steps in progress are recorded', async () => {
  const creation = newCreation(stage, store);
  await untilMade(creation);
  points.before = { creation, id: await oneRow(stage, creation) };
  await waitFor(
    async () => {
      const rows = await stage.database.adminSql`
        select from calendar_syncs
        where state = 'synced' and appointment_id in ${stage.database.adminSql(heldIds())}`;
      return rows.length === 3;
    },
    { description: 'the steps in progress are recorded' },
  );
  await stage.start('workflows');
});

test.each([
  ['before the request reached the calendar', 'asked'],
  ['after the calendar stored the event', 'taken'],
  ['after scheduling answered', 'answered'],
  ['before the step began', 'before'],
] as const)('after a kill %s the calendar has one event after one attempt, and the workflow ends', async (_, point) => {
  await settled(stage);
  const { creation, id } = points[point];
  const { inCalendar, published, runs } = await everywhere(stage);
  expect([inCalendar(creation), published(id), await runs(id)]).toEqual([1, 1, 1]);
  const [sync] = await stage.database.adminSql`select attempts from calendar_syncs where appointment_id = ${id}`;
  expect(sync?.attempts).toBe(1);
});
