import { randomUUID } from 'node:crypto';
import { findSettledMoment } from '@mostrador/kit/database/settled-moment';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase, tableText } from '@mostrador/testing/servers/kit-tables';
import fc from 'fast-check';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { quarterMs, storeItself } from './quarter.ts';
import { createRollups } from './rollups.ts';

const metrics = ['seen', 'bought', 'balance'] as const;
type Fact = { subject: string; metric: (typeof metrics)[number]; at: Date; amount: number };
const rollups = createRollups(metrics);

let kit: TestDatabase;
beforeAll(async () => {
  kit = await createKitDatabase();
  const owner = postgres(kit.ownerUrl, { max: 1, onnotice: () => {} });
  await owner.unsafe(`
    create table facts (store_id uuid, subject uuid, metric text, at timestamptz(3), amount bigint);
    create index facts_by_moment on facts (store_id, at);
    create view report_facts with (security_invoker = true) as select * from facts;
    alter table facts enable row level security;
    create policy store on facts to messaging
      using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
    create policy closing on facts to messaging_system using (true);
    grant select on facts, report_facts to messaging, messaging_system`);
  await owner.unsafe(await tableText('rollups'));
  await owner.end();
});
afterAll(() => kit?.drop());

const hourMs = 4 * quarterMs;
/** The start of this quarter-hour, or of the previous one in the first minute: everything before it can be closed. */
const over = Math.floor((Date.now() - 60_000) / quarterMs) * quarterMs;
const fromOver = (ms: number) => new Date(over + ms);
const deadline = () => Date.now() + 60_000;
const addFacts = (storeId: string, facts: readonly Fact[]) =>
  kit.adminSql`insert into facts ${kit.adminSql(facts.map((fact) => ({ store_id: storeId, ...fact })))}`;
const seen = (at: Date, subject = storeItself): Fact => ({ subject, metric: 'seen', at, amount: 1 });
const close = () => rollups.close({ ...kit, deadline: deadline() });
const closeAll = async () => {
  for (;;) {
    const { more, closed_until } = await close();
    if (!more) return closed_until;
  }
};
const reset = () => rollups.reset(kit.systemDatabase, { deadline: deadline() });
const read = (storeId: string, boundaries: readonly Date[]) =>
  kit.database.read({ storeId, deadline: deadline() }, (sql) =>
    rollups.read(sql, storeId, { boundaries, subjects: true }),
  );
const verifyAll = async (counted: Pick<typeof rollups, 'verify'> = rollups) => {
  const wrong = [];
  for (let after: Date | null = null; ; ) {
    const found = await counted.verify(kit.systemDatabase, { after, deadline: deadline() });
    wrong.push(...found.wrong);
    after = found.next;
    if (after === null) return wrong;
  }
};

const none = { seen: 0, bought: 0, balance: 0 };
function recount(facts: readonly Fact[], subject: string, from: Date, to: Date) {
  const counts = { ...none };
  for (const fact of facts) {
    if (fact.subject === subject && fact.at >= from && fact.at < to) counts[fact.metric] += fact.amount;
  }
  return counts;
}
function expected(facts: readonly Fact[], boundaries: readonly Date[]) {
  const [from, to] = [boundaries[0] as Date, boundaries.at(-1) as Date];
  const ever = [new Date(0), new Date(8.64e15)] as const;
  const of = (subject: string) => ({ total: recount(facts, subject, from, to), now: recount(facts, subject, ...ever) });
  const subjects = new Set(facts.map(({ subject }) => subject).filter((subject) => subject !== storeItself));
  return {
    ...of(storeItself),
    buckets: boundaries.slice(1).map((end, n) => recount(facts, storeItself, boundaries[n] as Date, end)),
    subjects: new Map(Array.from(subjects, (subject) => [subject, of(subject)])),
    alongside: null,
  };
}

const subjects = [storeItself, randomUUID(), randomUUID()];
/** Around the end of what can be closed; often exactly at a quarter-hour. */
const moment = fc
  .tuple(fc.integer({ min: -4 * 24 * 4, max: 8 }), fc.constantFrom(0, 0, -1, 1, 7 * 60_000))
  .map(([quarters, ms]) => fromOver(quarters * quarterMs + ms));
const fact: fc.Arbitrary<Fact> = fc.record({
  subject: fc.constantFrom(...subjects),
  metric: fc.constantFrom(...metrics),
  at: moment,
  amount: fc.integer({ min: -3, max: 1000 }),
});
const facts = fc.array(fact, { minLength: 1, maxLength: 40 });
const boundaries = fc
  .uniqueArray(moment, { minLength: 2, maxLength: 8, selector: (at) => at.getTime() })
  .map((moments) => moments.sort((a, b) => a.getTime() - b.getTime()));

test('the counts of a span equal its facts, whatever part of it is closed', async () => {
  await fc.assert(
    fc.asyncProperty(facts, facts, boundaries, async (before, later, at) => {
      await reset();
      const storeId = randomUUID();
      const late = later.map((one) => ({ ...one, at: new Date(Math.max(one.at.getTime(), over + quarterMs)) }));
      await addFacts(storeId, before);
      expect(await read(storeId, at)).toEqual(expected(before, at));
      await closeAll();
      expect(await read(storeId, at)).toEqual(expected(before, at));
      await addFacts(storeId, late);
      expect(await read(storeId, at)).toEqual(expected([...before, ...late], at));
    }),
    { numRuns: 10 },
  );
  expect(await verifyAll()).toEqual([]);
});

test('counts add up over several closings with long empty stretches between', async () => {
  await reset();
  const storeId = randomUUID();
  const days = [-4000, -4000, -900, -899, -30, -1].map((day, n) => seen(fromOver(day * 24 * hourMs + n)));
  await addFacts(storeId, days);
  await closeAll();
  // As if the job had not run for two days.
  const twoDaysAgo = fromOver(-48 * hourMs);
  await kit.adminSql`delete from report_quarters where quarter >= ${twoDaysAgo}`;
  await kit.adminSql`update report_closing set closed_until = ${twoDaysAgo}`;
  const at = [fromOver(-5000 * 24 * hourMs), fromOver(-40 * 24 * hourMs), fromOver(hourMs)];
  expect((await read(storeId, at)).buckets).toEqual([
    { ...none, seen: 4 },
    { ...none, seen: 2 },
  ]);
  await closeAll();
  expect((await read(storeId, at)).buckets).toEqual([
    { ...none, seen: 4 },
    { ...none, seen: 2 },
  ]);
  expect(await verifyAll()).toEqual([]);
});

test('concurrent closings do no harm, and closing again changes nothing', async () => {
  await reset();
  const storeId = randomUUID();
  await addFacts(
    storeId,
    Array.from({ length: 50 }, (_, n) => seen(fromOver(-n * 7 * hourMs - 1))),
  );
  await Promise.all(Array.from({ length: 4 }, close));
  const closedUntil = await closeAll();
  expect(closedUntil?.getTime()).toBeGreaterThanOrEqual(over);
  const rows = () => kit.adminSql`select * from report_quarters order by store_id, subject, quarter`;
  const before = await rows();
  expect(await closeAll()).toEqual(closedUntil);
  expect(await rows()).toEqual(before);
  expect((await read(storeId, [new Date(0), fromOver(0)])).total.seen).toBe(50);
  expect(await verifyAll()).toEqual([]);
});

test('a moment is not settled while a transaction of either role is still running', async () => {
  for (const database of [kit.database, kit.systemDatabase]) {
    const scope = { storeId: randomUUID(), deadline: deadline() };
    await database.write(scope, async (sql) => {
      const [row] = await sql<[{ began: Date }]>`select now() as began`;
      expect((await database.read(scope, findSettledMoment)) <= row.began).toBe(true);
    });
  }
});

test('a metric that is added later counts zero before', async () => {
  await reset();
  const storeId = randomUUID();
  await addFacts(storeId, [seen(fromOver(-hourMs))]);
  await closeAll();
  const grown = createRollups([...metrics, 'later']);
  const at = [fromOver(-24 * hourMs), fromOver(0)];
  const { total } = await kit.database.read({ storeId, deadline: deadline() }, (sql) =>
    grown.read(sql, storeId, { boundaries: at }),
  );
  expect(total).toEqual({ ...none, seen: 1, later: 0 });
  expect(await verifyAll(grown)).toEqual([]);
});

test('verify finds each wrong quarter-hour, and a reset corrects it', async () => {
  await reset();
  const storeId = randomUUID();
  const seller = randomUUID();
  const [first, second, third] = [-50, -40, -30].map((hours) => fromOver(hours * hourMs)) as [Date, Date, Date];
  await addFacts(storeId, [seen(first), seen(second), seen(third), seen(third, seller)]);
  await closeAll();
  expect(await verifyAll()).toEqual([]);
  await addFacts(storeId, [seen(second), seen(fromOver(-35 * hourMs), seller)]);
  await kit.adminSql`
    update report_quarters set counts[2] = 5 where store_id = ${storeId} and subject = ${storeItself} and quarter = ${third}`;
  const wrong = { store_id: storeId, subject: storeItself, is: 1, should_be: 2, metric: 'seen' };
  expect(await verifyAll()).toEqual([
    { ...wrong, quarter: second },
    { ...wrong, subject: seller, quarter: fromOver(-35 * hourMs), is: 0, should_be: 1 },
    { ...wrong, metric: 'bought', quarter: third, is: 5, should_be: 0 },
  ]);
  expect(await reset()).toBeGreaterThan(0);
  expect((await read(storeId, [first, fromOver(0)])).total.seen).toBe(4);
  await closeAll();
  expect((await read(storeId, [first, fromOver(0)])).total.seen).toBe(4);
  expect(await verifyAll()).toEqual([]);
});

test('closed totals are queried once, until any process resets the rollups', async () => {
  await reset();
  const storeId = randomUUID();
  const at = [-30, -20, -10, 0].map((hours) => fromOver(hours * hourMs));
  await addFacts(storeId, [seen(fromOver(-25 * hourMs)), seen(fromOver(-15 * hourMs)), seen(fromOver(-5 * hourMs))]);
  await closeAll();
  const buckets = async () => (await read(storeId, at)).buckets.map((counts) => counts.seen);
  expect(await buckets()).toEqual([1, 1, 1]);
  // This forbidden change shows which totals are queried: not those of the two inner boundaries.
  await kit.adminSql`update report_quarters set counts[1] = counts[1] + 10 where store_id = ${storeId}`;
  expect(await buckets()).toEqual([1, 1, 11]);
  await addFacts(storeId, [seen(fromOver(-15 * hourMs))]);
  const ofAnotherProcess = createRollups(metrics);
  await ofAnotherProcess.reset(kit.systemDatabase, { deadline: deadline() });
  expect(await buckets()).toEqual([1, 2, 1]);
  await closeAll();
  expect(await buckets()).toEqual([1, 2, 1]);
  expect(await buckets()).toEqual([1, 2, 1]);
});

test('reports are right while the rollups are reset again and again', async () => {
  await reset();
  const storeId = randomUUID();
  const hours = Array.from({ length: 12 }, (_, hour) => fromOver((hour - 12) * hourMs));
  await addFacts(
    storeId,
    hours.map((at) => seen(at)),
  );
  let making = true;
  const reading = Array.from({ length: 2 }, async () => {
    let reports = 0;
    for (; making; reports += 1) {
      const { buckets } = await read(storeId, [...hours, fromOver(0)]);
      expect(buckets.map((counts) => counts.seen)).toEqual(hours.map(() => 1));
    }
    return reports;
  });
  for (let times = 0; times < 4; times += 1) {
    await closeAll();
    await read(storeId, [...hours, fromOver(0)]);
    await reset();
  }
  making = false;
  for (const reports of await Promise.all(reading)) expect(reports).toBeGreaterThan(0);
});

test('requests see only the rollups of their own store, and cannot write any', async () => {
  const storeId = randomUUID();
  await reset();
  await addFacts(storeId, [seen(fromOver(-hourMs))]);
  await closeAll();
  const stores = await kit.as('messaging', storeId, (sql) => sql`select distinct store_id from report_quarters`);
  expect(stores).toEqual([{ store_id: storeId }]);
  for (const statement of ['delete from report_quarters', 'update report_closing set closed_until = now()']) {
    await expect(kit.as('messaging', storeId, (sql) => sql.unsafe(statement))).rejects.toThrow('permission denied');
  }
});

test('a fact with an unknown metric is an error', async () => {
  const storeId = randomUUID();
  await kit.adminSql`insert into facts values (${storeId}, ${storeItself}, 'odd', ${fromOver(2 * hourMs)}, 1)`;
  await expect(read(storeId, [fromOver(0), fromOver(hourMs)])).rejects.toThrow('not in the list: odd');
  await kit.adminSql`delete from facts where metric = 'odd'`;
});

test('a read resets the plan cache mode of its connection, also when it failed', async () => {
  const storeId = randomUUID();
  const boundaries = [fromOver(0), fromOver(hourMs)];
  const modes = await kit.database.read({ storeId, deadline: deadline() }, async (sql) => {
    const mode = async () =>
      (await sql<{ mode: string }[]>`select current_setting('plan_cache_mode') as mode`)[0]?.mode;
    const counted = rollups.read(sql, storeId, {
      boundaries,
      alongside: sql`select current_setting('plan_cache_mode')`,
    });
    const [{ alongside }, after] = await Promise.all([counted, mode()]);
    const failing = rollups.read(sql, storeId, { boundaries, alongside: sql`select 1 / (${storeId}::text = '')::int` });
    const [, afterFailing] = await Promise.all([expect(failing).rejects.toThrow('division by zero'), mode()]);
    return [alongside, after, afterFailing];
  });
  expect(modes).toEqual(['force_generic_plan', 'auto', 'auto']);
});
