import type { Hold, TcpProxy } from '@mostrador/testing/proxy/tcp-proxy';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Creation, everywhere, killInTime, newCreation, oneRow, settled, untilMade } from './creation.ts';
import { type Stage, type Store, startStage } from './stage.ts';

// One kill of the worker hits the calendar step at four points, with one appointment at each.

let stage: Stage;
let store: Store;
const points: Record<'before' | 'asked' | 'taken' | 'answered', { creation: Creation; id: string }> = {} as never;

const heldIds = () => (['asked', 'taken', 'answered'] as const).map((point) => points[point].id);

async function standAt(point: keyof typeof points, hold: Hold): Promise<Hold> {
  const creation = newCreation(stage, store);
  await untilMade(creation);
  await hold.reached;
  points[point] = { creation, id: await oneRow(stage, creation) };
  return hold;
}

beforeAll(async () => {
  stage = await startStage({ processes: ['gateway', 'crm', 'scheduling', 'workflows'] });
  store = await stage.newStore();
  const { calendar, workflowsNats }: Record<string, TcpProxy> = stage.proxies;
  const [asked, taken] = await killInTime(stage, 'workflows', async () => [
    await standAt('asked', calendar.holdRequest('PUT /')),
    await standAt('taken', calendar.holdAnswer('PUT /')),
    // The answer of the calendar's watch goes there, too.
    await standAt('answered', workflowsNats.holdDelivery('"reason":"synced"')),
  ]);
  // scheduling finishes its requests although the worker that waited for them is gone.
  asked?.release();
  taken?.release();
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
