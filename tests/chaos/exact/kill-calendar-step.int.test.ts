import type { Hold, TcpProxy } from '@mostrador/testing/proxy/tcp-proxy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Creation, everywhere, newCreation, oneRow, settled, settledWithinMs } from './creation.ts';
import { type Stage, type Store, startStage } from './stage.ts';

// scheduling is killed at every point of the step that brings an appointment to its calendar. All points are held at
// once, one appointment at each, and one kill meets them all: a lease and a lost answer take a quarter of a minute each.

let stage: Stage;
let store: Store;
const points: Record<'asked' | 'taken' | 'answered' | 'recorded', { creation: Creation; id: string }> = {} as never;

/** Creates an appointment and waits until its step stands at the point. */
async function standAt(point: keyof typeof points, hold: Hold): Promise<void> {
  const creation = newCreation(stage, store);
  expect((await creation.send()).status).toBe(201);
  await hold.reached;
  points[point] = { creation, id: await oneRow(stage, creation) };
}

const syncOf = async (point: keyof typeof points) => {
  const [row] = await stage.database.adminSql`
    select state, attempts, last_error_code from calendar_syncs where appointment_id = ${points[point].id}`;
  return row;
};

beforeAll(async () => {
  stage = await startStage({ processes: ['gateway', 'crm', 'scheduling', 'workflows'] });
  store = await stage.newStore();
  const { calendar, database, nats }: Record<string, TcpProxy> = stage.proxies;
  await standAt('asked', calendar.holdRequest('PUT /'));
  await standAt('taken', calendar.holdAnswer('PUT /'));
  await standAt('answered', database.holdRequest('synced_at = clock_timestamp()'));
  // The last one, as the whole connection stands still.
  await standAt('recorded', nats.holdRequest(' _INBOX_workflows'));
});
afterAll(() => stage?.stop());

test('at the moment of the kill the four steps stand where they are to', async () => {
  const { inCalendar } = await everywhere(stage);
  const there = Object.values(points).map(({ creation }) => inCalendar(creation));
  expect(there).toEqual([0, 1, 1, 1]);
  for (const point of ['asked', 'taken', 'answered'] as const) {
    expect(await syncOf(point)).toEqual({ state: 'pending', attempts: 1, last_error_code: null });
  }
  expect(await syncOf('recorded')).toEqual({ state: 'synced', attempts: 1, last_error_code: null });
  await stage.restart('scheduling');
});

test('each key is answered with what was done', async () => {
  for (const { creation, id } of Object.values(points)) {
    const answer = await creation.send();
    expect(answer).toMatchObject({ status: 201, replayed: true });
    expect(JSON.parse(answer.text).id).toBe(id);
  }
});

test.each([
  ['before the calendar was asked', 'asked', 2],
  ['after the calendar took the event, before its answer', 'taken', 2],
  ['after the calendar answered, before that was recorded', 'answered', 2],
  ['after it was recorded, before the workflow heard of it', 'recorded', 1],
] as const)(
  'killed %s: one event in the calendar, synced, and the workflow ends',
  async (_, point, attempts) => {
    await settled(stage);
    const { creation, id } = points[point];
    const { inCalendar, published, runs } = await everywhere(stage);
    expect([inCalendar(creation), published(id), await runs(id)]).toEqual([1, 1, 1]);
    expect(await syncOf(point)).toEqual({ state: 'synced', attempts, last_error_code: null });
    expect(await oneRow(stage, creation)).toBe(id);
  },
  settledWithinMs + 30_000,
);
