import type { Hold } from '@mostrador/testing/proxy/tcp-proxy';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Answer,
  type Creation,
  everywhere,
  newCreation,
  newLead,
  noRow,
  oneRow,
  sendTo,
  settled,
  untilMade,
} from './creation.ts';
import { type Stage, type Store, startStage } from './stage.ts';

// scheduling is killed at every point of a creation, from the request to the deletion of the outbox entries. The
// calendar step has its own file, kill-calendar-step.int.test.ts. Each hold matches the title or the lead of its own
// creation, because the work of earlier tests continues on the same connections.

let stage: Stage;
let store: Store;
const made: { creation: Creation; id: string }[] = [];

beforeAll(async () => {
  stage = await startStage({ processes: ['gateway', 'crm', 'scheduling', 'workflows'] });
  store = await stage.newStore();
  // The store's calendar has woken its watch, so a connection has sent the statement of the first test.
  await settled(stage);
  await stage.restart('scheduling');
});
afterAll(() => stage?.stop());

/** The creation's outbox entries after the kill. Without them its event is lost and its workflow needs the sweep. */
let left: readonly { kind: string }[] = [];
const leftKinds = () => left.map(({ kind }) => kind);

/** Sends a creation, kills scheduling when every hold is reached, and starts it again. */
async function killAt(creation: Creation, points: Hold[], reached?: () => Promise<unknown>): Promise<Answer> {
  const first = await sendTo(points, creation);
  await reached?.();
  await stage.kill('scheduling');
  for (const point of points) point.drop();
  left = await stage.database.adminSql<{ kind: string }[]>`
    select kind from outbox join appointments a on a.id in (entity_id, (data ->> 'appointment_id')::uuid)
    where title = ${creation.title} order by kind`;
  await stage.start('scheduling');
  return await first.answer;
}

// This must be the first test: its hold matches the text of a statement, which a connection sends only once.
test('after a kill before the deletion of delivered outbox entries, both are delivered again with one effect', async () => {
  const { systemDatabase } = stage.proxies;
  const deletions = [
    systemDatabase.holdRequest('delete from outbox'),
    systemDatabase.holdRequest('delete from outbox'),
  ];
  const creation = newCreation(stage, store);
  const first = await killAt(creation, deletions);
  expect(first).toMatchObject({ status: 201, replayed: false });
  expect(leftKinds()).toEqual(['event', 'workflow']);
  expect(await untilMade(creation)).toMatchObject({ replayed: true, text: first.text });
  made.push({ creation, id: await oneRow(stage, creation) });
});

test('after a kill before the commit, nothing is stored and the retry creates the appointment', async () => {
  const creation = newCreation(stage, store);
  const first = await killAt(creation, [stage.proxies.database.holdRequest('commit', creation.title)], () =>
    noRow(stage, creation),
  );
  expect(first.status).toBe(504);
  await noRow(stage, creation);
  expect(await untilMade(creation)).toMatchObject({ replayed: false });
  made.push({ creation, id: await oneRow(stage, creation) });
});

test('after a kill between the commit and its acknowledgement, the retry gets the stored answer', async () => {
  const creation = newCreation(stage, store);
  const first = await killAt(creation, [stage.proxies.database.holdAnswer('commit', creation.title)]);
  expect(first.status).toBe(504);
  expect(await untilMade(creation)).toMatchObject({ replayed: true });
  made.push({ creation, id: await oneRow(stage, creation) });
});

test('after a kill between the commit and the answer, the retry gets the stored answer', async () => {
  const creation = newCreation(stage, store);
  const first = await killAt(creation, [stage.proxies.nats.holdRequest(creation.title)]);
  expect(first.status).toBe(504);
  expect(await untilMade(creation)).toMatchObject({ replayed: true });
  made.push({ creation, id: await oneRow(stage, creation) });
});

test('after a kill before the signal to Temporal, the next process sends it once', async () => {
  const lead_id = await newLead(stage, store);
  const creation = newCreation(stage, store, { lead_id });
  const first = await killAt(creation, [stage.proxies.temporal.holdRequest(lead_id)]);
  expect(leftKinds()).toContain('workflow');
  expect(first).toMatchObject({ status: 201, replayed: false });
  expect(await untilMade(creation)).toMatchObject({ replayed: true, text: first.text });
  made.push({ creation, id: await oneRow(stage, creation) });
});

test('after a kill before Temporal acknowledges the signal, the next process sends it again with one effect', async () => {
  const lead_id = await newLead(stage, store);
  const creation = newCreation(stage, store, { lead_id });
  const first = await killAt(creation, [stage.proxies.temporal.holdAnswer(lead_id)], async () => {
    const id = await oneRow(stage, creation);
    await waitFor(() => stage.temporal.client.workflow.getHandle(`appointment:${id}`).describe(), {
      description: 'the workflow has started',
    });
  });
  expect(leftKinds()).toContain('workflow');
  expect(first).toMatchObject({ status: 201, replayed: false });
  expect(await untilMade(creation)).toMatchObject({ replayed: true, text: first.text });
  made.push({ creation, id: await oneRow(stage, creation) });
});

test('after a kill before the event is published, the next process publishes it once', async () => {
  const lead_id = await newLead(stage, store);
  const creation = newCreation(stage, store, { lead_id });
  // Only the event has this text. The lead check and the answer do not, and events of earlier tests have another lead.
  await killAt(creation, [stage.proxies.nats.holdRequest(`"lead_id":"${lead_id}","scheduled_at"`)]);
  expect(leftKinds()).toContain('event');
  expect(await untilMade(creation)).toMatchObject({ replayed: true });
  made.push({ creation, id: await oneRow(stage, creation) });
});

test('after all these kills each appointment has one calendar event and one published event, and no work is left', async () => {
  await settled(stage);
  const { inCalendar, published, runs } = await everywhere(stage);
  expect(made).toHaveLength(7);
  for (const { creation, id } of made) {
    expect([inCalendar(creation), published(id)]).toEqual([1, 1]);
    // A repeated signal may start a second run, which ends at once.
    expect(await runs(id)).toBeGreaterThan(0);
  }
});
