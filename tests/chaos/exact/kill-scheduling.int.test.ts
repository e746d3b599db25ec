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
  settled,
  settledWithinMs,
  untilMade,
} from './creation.ts';
import { type Stage, type Store, startStage } from './stage.ts';

// scheduling is killed at every point of a creation, from the request to the outbox entry's end. The points of the
// calendar's part are in kill-calendar-step.int.test.ts. Each point is known by something of its own creation, the title
// or the lead: what an earlier kill left is being carried on at the same time, over the same connections.

let stage: Stage;
let store: Store;
const made: { creation: Creation; id: string }[] = [];

beforeAll(async () => {
  stage = await startStage({ processes: ['gateway', 'crm', 'scheduling', 'workflows'] });
  store = await stage.newStore();
});
afterAll(() => stage?.stop());

/** What the kill left of the creation in the outbox: without it only the sweep would find a workflow that was never told, and nothing an event. */
let left: readonly { kind: string }[] = [];
const leftKinds = () => left.map(({ kind }) => kind);

/** Sends a creation, kills scheduling when the connections stand at the points, and starts it again. */
async function killAt(creation: Creation, points: Hold[], reached?: () => Promise<unknown>): Promise<Answer> {
  const first = creation.send();
  await Promise.all(points.map((point) => point.reached));
  await reached?.();
  await stage.kill('scheduling');
  for (const point of points) point.drop();
  left = await stage.database.adminSql<{ kind: string }[]>`
    select kind from outbox join appointments a on a.id in (entity_id, (data ->> 'appointment_id')::uuid)
    where title = ${creation.title} order by kind`;
  await stage.start('scheduling');
  return await first;
}

// First, as its point is known by the statement's text, which a connection sends once.
test('killed after Temporal and the stream were told, before the outbox entries are deleted: they are told again, with one effect', async () => {
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

test('killed before the commit: nothing was done, and the key makes the one appointment', async () => {
  const creation = newCreation(stage, store);
  const first = await killAt(creation, [stage.proxies.database.holdRequest('commit', creation.title)], () =>
    noRow(stage, creation),
  );
  expect(first.status).toBe(504);
  await noRow(stage, creation);
  expect(await untilMade(creation)).toMatchObject({ replayed: false });
  made.push({ creation, id: await oneRow(stage, creation) });
});

test('killed after the commit, before scheduling hears of it: the key is answered with what was done', async () => {
  const creation = newCreation(stage, store);
  const first = await killAt(creation, [stage.proxies.database.holdAnswer('commit', creation.title)]);
  expect(first.status).toBe(504);
  expect(await untilMade(creation)).toMatchObject({ replayed: true });
  made.push({ creation, id: await oneRow(stage, creation) });
});

test('killed after the commit, before the answer leaves: the key is answered with what was done', async () => {
  const creation = newCreation(stage, store);
  const first = await killAt(creation, [stage.proxies.nats.holdRequest(creation.title)]);
  expect(first.status).toBe(504);
  expect(await untilMade(creation)).toMatchObject({ replayed: true });
  made.push({ creation, id: await oneRow(stage, creation) });
});

test('killed after the answer, before Temporal is told: it is told by the one that follows, once', async () => {
  const lead_id = await newLead(stage, store);
  const creation = newCreation(stage, store, { lead_id });
  const first = await killAt(creation, [stage.proxies.temporal.holdRequest(lead_id)]);
  expect(leftKinds()).toContain('workflow');
  expect(first).toMatchObject({ status: 201, replayed: false });
  expect(await untilMade(creation)).toMatchObject({ replayed: true, text: first.text });
  made.push({ creation, id: await oneRow(stage, creation) });
});

test('killed after Temporal was told, before scheduling hears of it: it is told again, with one effect', async () => {
  const lead_id = await newLead(stage, store);
  const creation = newCreation(stage, store, { lead_id });
  const first = await killAt(creation, [stage.proxies.temporal.holdAnswer(lead_id)], async () => {
    const id = await oneRow(stage, creation);
    await waitFor(() => stage.temporal.client.workflow.getHandle(`appointment:${id}`).describe(), {
      description: 'the workflow has been started',
    });
  });
  expect(leftKinds()).toContain('workflow');
  expect(first).toMatchObject({ status: 201, replayed: false });
  expect(await untilMade(creation)).toMatchObject({ replayed: true, text: first.text });
  made.push({ creation, id: await oneRow(stage, creation) });
});

test('killed after the answer, before the event is published: it is published by the one that follows, once', async () => {
  const lead_id = await newLead(stage, store);
  const creation = newCreation(stage, store, { lead_id });
  // As an event has it, and neither the look-up of the lead nor the answer: events of earlier kills are published too.
  await killAt(creation, [stage.proxies.nats.holdRequest(`"lead_id":"${lead_id}","scheduled_at"`)]);
  expect(leftKinds()).toContain('event');
  expect(await untilMade(creation)).toMatchObject({ replayed: true });
  made.push({ creation, id: await oneRow(stage, creation) });
});

test(
  'after all of these kills every appointment is one event in the calendar, one in the stream, and no work is left',
  async () => {
    await settled(stage);
    const { inCalendar, published, runs } = await everywhere(stage);
    expect(made).toHaveLength(7);
    for (const { creation, id } of made) {
      expect([inCalendar(creation), published(id)]).toEqual([1, 1]);
      // Told twice, Temporal may have begun anew; what had nothing to do then ended at once.
      expect(await runs(id)).toBeGreaterThan(0);
    }
  },
  settledWithinMs + 30_000,
);
