import type { Hold, TcpProxy } from '@mostrador/testing/proxy/tcp-proxy';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Creation, everywhere, newCreation, oneRow, settled, settledWithinMs } from './creation.ts';
import { type Stage, type Store, startStage } from './stage.ts';

// The worker is killed at every point of the step, one appointment at each, by one kill.

let stage: Stage;
let store: Store;
const points: Record<'before' | 'asked' | 'taken' | 'answered', { creation: Creation; id: string }> = {} as never;

async function standAt(point: keyof typeof points, hold: Hold): Promise<void> {
  const creation = newCreation(stage, store);
  expect((await creation.send()).status).toBe(201);
  await hold.reached;
  points[point] = { creation, id: await oneRow(stage, creation) };
}

beforeAll(async () => {
  stage = await startStage({ processes: ['gateway', 'crm', 'scheduling', 'workflows'] });
  store = await stage.newStore();
  const { calendar, workflowsNats }: Record<string, TcpProxy> = stage.proxies;
  const request = calendar.holdRequest('PUT /');
  await standAt('asked', request);
  const answer = calendar.holdAnswer('PUT /');
  await standAt('taken', answer);
  await standAt('answered', workflowsNats.holdDelivery(' _INBOX_workflows'));
  await stage.kill('workflows');
  // What scheduling had begun it now brings to its end, without a worker that waits for it.
  request.release();
  answer.release();
});
afterAll(() => stage?.stop());

test('without a worker appointments are created, and what the killed one had begun is recorded', async () => {
  const creation = newCreation(stage, store);
  expect((await creation.send()).status).toBe(201);
  points.before = { creation, id: await oneRow(stage, creation) };
  await waitFor(
    async () => {
      const rows = await stage.database.adminSql`select from calendar_syncs where state = 'synced'`;
      return rows.length === 3;
    },
    { description: 'the steps that had begun are recorded' },
  );
  await stage.start('workflows');
});

test.each([
  ['before the calendar was asked', 'asked'],
  ['after the calendar took the event', 'taken'],
  ['after scheduling had answered', 'answered'],
  ['before the step began', 'before'],
] as const)(
  'killed %s: one event in the calendar, one attempt, and the workflow ends',
  async (_, point) => {
    await settled(stage);
    const { creation, id } = points[point];
    const { inCalendar, published, runs } = await everywhere(stage);
    expect([inCalendar(creation), published(id), await runs(id)]).toEqual([1, 1, 1]);
    const [sync] = await stage.database.adminSql`select attempts from calendar_syncs where appointment_id = ${id}`;
    expect(sync?.attempts).toBe(1);
  },
  settledWithinMs + 30_000,
);
