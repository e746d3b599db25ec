import type { Hold, TcpProxy } from '@mostrador/testing/proxy/tcp-proxy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Creation, everywhere, killInTime, newCreation, oneRow, settled, untilMade } from './creation.ts';
import { type Stage, type Store, startStage } from './stage.ts';

// Two kills of scheduling hit the calendar step at two points each, with one appointment at each. Two points share a kill,
// because a lease or a lost answer takes about 15 s. More would not: the first call ends before a slow machine is at the last.

let stage: Stage;
let store: Store;
const points: Record<'asked' | 'taken' | 'answered' | 'recorded', { creation: Creation; id: string }> = {} as never;

/** Creates an appointment and waits until its step is held at the point. */
async function standAt(point: keyof typeof points, hold: Hold): Promise<Hold> {
  const creation = newCreation(stage, store);
  await untilMade(creation);
  await hold.reached;
  points[point] = { creation, id: await oneRow(stage, creation) };
  return hold;
}

const syncOf = async (point: keyof typeof points) => {
  const [row] = await stage.database.adminSql`
    select state, attempts, last_error_code from calendar_syncs where appointment_id = ${points[point].id}`;
  return row;
};

beforeAll(async () => {
  stage = await startStage({ processes: ['gateway', 'crm', 'scheduling', 'workflows'] });
  store = await stage.newStore();
});
afterAll(() => stage?.stop());

// This must be the first test: one of its holds matches the text of a statement, which a connection sends only once.
test('a kill hits the record of a call before its commit, and another one before its answer', async () => {
  const { database, nats }: Record<string, TcpProxy> = stage.proxies;
  await killInTime(stage, 'scheduling', async () => [
    await standAt('answered', database.holdRequest('synced_at = clock_timestamp()')),
    // This must be the last point, because it holds the whole connection. The answer of the calendar's watch goes there, too.
    await standAt('recorded', nats.holdRequest('"reason":"synced"')),
  ]);
  const { inCalendar } = await everywhere(stage);
  expect([inCalendar(points.answered.creation), inCalendar(points.recorded.creation)]).toEqual([1, 1]);
  expect(await syncOf('answered')).toEqual({ state: 'pending', attempts: 1, last_error_code: null });
  expect(await syncOf('recorded')).toEqual({ state: 'synced', attempts: 1, last_error_code: null });
  await stage.start('scheduling');
  await settled(stage);
});

test('a kill hits a call before the calendar has it, and another one before its answer', async () => {
  const { calendar }: Record<string, TcpProxy> = stage.proxies;
  await killInTime(stage, 'scheduling', async () => [
    await standAt('asked', calendar.holdRequest('PUT /')),
    await standAt('taken', calendar.holdAnswer('PUT /')),
  ]);
  const { inCalendar } = await everywhere(stage);
  expect([inCalendar(points.asked.creation), inCalendar(points.taken.creation)]).toEqual([0, 1]);
  for (const point of ['asked', 'taken'] as const) {
    expect(await syncOf(point)).toEqual({ state: 'pending', attempts: 1, last_error_code: null });
  }
  await stage.start('scheduling');
});

test('a retry with the same key gets the stored answer', async () => {
  for (const { creation, id } of Object.values(points)) {
    const answer = await creation.send();
    expect(answer).toMatchObject({ status: 201, replayed: true });
    expect(JSON.parse(answer.text).id).toBe(id);
  }
});

test.each([
  ['before the request reached the calendar', 'asked', 2],
  ['after the calendar stored the event, before its answer', 'taken', 2],
  ['after the calendar answered, before the commit of the outcome', 'answered', 2],
  ['after the commit of the outcome, before the workflow got its answer', 'recorded', 1],
] as const)(
  'after a kill %s the calendar has one event, the sync is done, and the workflow ends',
  async (_, point, attempts) => {
    await settled(stage);
    const { creation, id } = points[point];
    const { inCalendar, published, runs } = await everywhere(stage);
    expect([inCalendar(creation), published(id), await runs(id)]).toEqual([1, 1, 1]);
    expect(await syncOf(point)).toEqual({ state: 'synced', attempts, last_error_code: null });
    expect(await oneRow(stage, creation)).toBe(id);
  },
);
