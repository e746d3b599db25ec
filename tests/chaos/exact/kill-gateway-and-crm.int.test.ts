import type { Hold } from '@mostrador/testing/proxy/tcp-proxy';
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
import { type ProcessName, type Stage, type Store, startStage } from './stage.ts';

// The gateway and crm are killed during a creation.

const requestTimeoutMs = 2000;
/** How late after its deadline an answer may come, because the machine is busy. */
const graceMs = 20_000;
let stage: Stage;
let store: Store;
const made: { creation: Creation; id: string }[] = [];

beforeAll(async () => {
  stage = await startStage({ processes: ['gateway', 'crm', 'scheduling', 'workflows'], requestTimeoutMs });
  store = await stage.newStore();
});
afterAll(() => stage?.stop());

async function killAt(creation: Creation, point: Hold, victim: ProcessName): Promise<Answer> {
  const first = await sendTo([point], creation);
  await stage.kill(victim);
  point.drop();
  await stage.start(victim);
  return await first.answer;
}

async function madeBy(creation: Creation, answer: Answer): Promise<void> {
  const id = await oneRow(stage, creation);
  expect(JSON.parse(answer.text).id).toBe(id);
  made.push({ creation, id });
}

test('after a kill of the gateway before its request leaves, nothing is stored and the retry creates the appointment', async () => {
  const creation = newCreation(stage, store);
  const point = stage.proxies.gatewayNats.holdRequest(creation.title);
  expect((await killAt(creation, point, 'gateway')).status).toBe(0);
  await noRow(stage, creation);
  const answer = await untilMade(creation);
  expect(answer.replayed).toBe(false);
  await madeBy(creation, answer);
});

test('after a kill of the gateway before the answer arrives, the retry gets the stored answer', async () => {
  const creation = newCreation(stage, store);
  const point = stage.proxies.gatewayNats.holdDelivery(creation.title);
  expect((await killAt(creation, point, 'gateway')).status).toBe(0);
  const answer = await untilMade(creation);
  expect(answer.replayed).toBe(true);
  await madeBy(creation, answer);
});

test('after a kill of crm before it checks the lead, the answer is 504 in time, nothing is stored, and the retry creates the appointment', async () => {
  const lead_id = await newLead(stage, store);
  const creation = newCreation(stage, store, { lead_id });
  // Not by the subject, which the gateway's readiness check uses, too.
  const first = await killAt(creation, stage.proxies.crmNats.holdDelivery(lead_id), 'crm');
  expect(first.status).toBe(504);
  expect(first.afterMs).toBeLessThan(requestTimeoutMs + graceMs);
  await noRow(stage, creation);
  const answer = await untilMade(creation);
  expect(answer.replayed).toBe(false);
  await madeBy(creation, answer);
});

test('after a kill of crm before its answer leaves, the answer is 504 in time, nothing is stored, and the retry creates the appointment', async () => {
  const creation = newCreation(stage, store, { lead_id: await newLead(stage, store) });
  // The hold is taken by any answer to scheduling, so nothing else may ask crm.
  await settled(stage);
  const first = await killAt(creation, stage.proxies.crmNats.holdRequest(' _INBOX_scheduling'), 'crm');
  expect(first.status).toBe(504);
  expect(first.afterMs).toBeLessThan(requestTimeoutMs + graceMs);
  await noRow(stage, creation);
  await madeBy(creation, await untilMade(creation));
});

test('while crm is down, a creation with a lead gets 503 at once, and one without a lead succeeds', async () => {
  const withLead = newCreation(stage, store, { lead_id: await newLead(stage, store) });
  await stage.kill('crm');
  // A busy machine may be late with the first.
  await expect.poll(async () => (await withLead.send()).status).toBe(503);
  const without = newCreation(stage, store);
  await madeBy(without, await untilMade(without));
  await stage.start('crm');
  await madeBy(withLead, await untilMade(withLead));
});

test('after all these kills each appointment has one calendar event, one published event and one workflow run', async () => {
  await settled(stage);
  const { inCalendar, published, runs } = await everywhere(stage);
  expect(made).toHaveLength(6);
  for (const { creation, id } of made) {
    expect([inCalendar(creation), published(id), await runs(id)]).toEqual([1, 1, 1]);
  }
});
