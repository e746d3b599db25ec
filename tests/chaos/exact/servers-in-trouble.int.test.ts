import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, type Creation, makeEach, newCreation, noRow, sendAll, sendTo, untilMade } from './creation.ts';
import { type Stage, type Store, startStage } from './stage.ts';

const requestTimeoutMs = 2000;
/** How late after its deadline an answer may come, because the machine is busy. */
const graceMs = 20_000;
const atOnce = 10;

let stage: Stage;
let store: Store;

beforeAll(async () => {
  stage = await startStage({ processes: ['gateway', 'crm', 'scheduling', 'workflows'], requestTimeoutMs });
  store = await stage.newStore();
});
afterAll(() => stage?.stop());

const several = () => Array.from({ length: atOnce }, () => newCreation(stage, store));
const eachIsMade = (creations: readonly Creation[]) => makeEach(stage, creations);

const expectRefused = (answers: readonly Answer[], ...statuses: number[]) => {
  for (const { status, afterMs } of answers) {
    expect(statuses).toContain(status);
    expect(afterMs).toBeLessThan(requestTimeoutMs + graceMs);
  }
};

async function noneIsMade(creations: readonly Creation[]): Promise<void> {
  for (const creation of creations) await noRow(stage, creation);
}

test('while NATS is stopped every request gets 503 at once, and after its restart none of them takes effect', async () => {
  await stage.nats.stopServer();
  const creations = several();
  const answers = await sendAll(creations);
  expectRefused(answers, 503);
  await stage.nats.startServer();
  await untilMade(newCreation(stage, store));
  await noneIsMade(creations);
  await eachIsMade(creations);
});

test('while NATS stalls requests are answered by their deadline, and those that it delivers later have no effect', async () => {
  stage.nats.freezeServer();
  const creations = several();
  const answers = await sendAll(creations);
  stage.nats.thawServer();
  expectRefused(answers, 504, 503);
  // NATS delivers this request after all delayed ones.
  await untilMade(newCreation(stage, store));
  await noneIsMade(creations);
  await eachIsMade(creations);
});

test('the connection pools recover when PostgreSQL drops every connection during a transaction', async () => {
  const broken = newCreation(stage, store);
  const point = stage.proxies.database.holdRequest('commit', broken.title);
  const { answer } = await sendTo([point], broken);
  await stage.database.adminSql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and usename in ('scheduling', 'scheduling_system', 'crm', 'gateway')`;
  point.release();
  expectRefused([await answer], 503, 504);
  await eachIsMade([broken, ...several()]);
});

test.each(['cut', 'freeze'] as const)(
  'while PostgreSQL is away (%s) every answer comes by its deadline, and afterwards each key creates one row',
  async (trouble) => {
    const { database, systemDatabase } = stage.proxies;
    database[trouble]();
    systemDatabase[trouble]();
    const creations = several();
    const answers = await sendAll(creations);
    expectRefused(answers, 503, 504);
    await noneIsMade(creations);
    database.mend();
    systemDatabase.mend();
    await eachIsMade(creations);
  },
);
