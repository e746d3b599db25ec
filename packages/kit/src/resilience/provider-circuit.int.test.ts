import { silentLog } from '@mostrador/testing/context';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import { waitFor } from '@mostrador/testing/wait';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CircuitOpen } from './circuit.ts';
import { createProviderCircuit, purgeProviderCircuits } from './provider-circuit.ts';
import { circuitGauges, providerMetrics } from './provider-metrics.ts';

const origin = 'https://provider.example.com';
let database: TestDatabase;
beforeAll(async () => {
  database = await createKitDatabase();
});
beforeEach(() => database.adminSql`delete from provider_circuits`);
afterAll(() => database?.drop());

class Outage extends Error {}
class Refusal extends Error {}
const down = () => Promise.reject(new Outage());
const up = () => Promise.resolve('up');

/** The circuit of another process. */
const newCircuit = (metrics?: { readonly registry: Registry }) =>
  createProviderCircuit(
    {
      outageOf: (error) => error instanceof Outage || (error instanceof Refusal ? false : undefined),
      callsAtOnce: 4,
      callsPerOrigin: 4,
      firstCallsPerOrigin: 2,
    },
    { ...database, log: silentLog(), ...(metrics && { metrics }) },
  );
const target = (connectionId: string) => ({ provider: 'caldav', connectionId, origin });
const rows = () => database.adminSql`select origin, failures, open_until > now() as open from provider_circuits`;
const open = (until: string) => database.adminSql`
  insert into provider_circuits (origin, failures, open_until, since)
  values (${origin}, 5, now() + ${until}::interval, now())`;

test('outages of different processes and connections count together, and an answer ends the count', async () => {
  for (let count = 0; count < 4; count += 1) {
    await expect(newCircuit().run(target(`connection ${count}`), down)).rejects.toThrow(Outage);
  }
  expect(await rows()).toMatchObject([{ origin, failures: 4, open: null }]);
  await expect(newCircuit().run(target('another'), () => Promise.reject(new Refusal()))).rejects.toThrow(Refusal);
  expect(await rows()).toEqual([]);
});

test('the fifth outage stops the calls of every process, also of one that had none', async () => {
  for (let count = 0; count < 5; count += 1) await expect(newCircuit().run(target('c'), down)).rejects.toThrow(Outage);
  const other = newCircuit();
  await expect(other.run(target('healthy'), up)).rejects.toThrow(CircuitOpen);
  expect(other.blocked(target('healthy'))).toMatchObject({ reason: 'provider_unavailable' });
  expect(await other.run({ ...target('c'), origin: 'https://elsewhere.example.com' }, up)).toBe('up');
  expect(await other.run({ ...target('c'), origin: null }, up)).toBe('up');
});

test('of many processes at once one probes, and its answer lets all of them call again', async () => {
  await open('-1 second');
  const answer = Promise.withResolvers<string>();
  let calls = 0;
  const call = () => {
    calls += 1;
    return answer.promise;
  };
  const circuits = Array.from({ length: 20 }, newCircuit);
  const results = circuits.map((circuit) => circuit.run(target('c'), call).catch((error) => error));
  await waitFor(() => calls > 0, { description: 'a probe' });
  let blocked = 0;
  for (const result of results) void result.then((outcome) => (blocked += Number(outcome instanceof CircuitOpen)));
  await waitFor(() => blocked === 19, { description: 'the others to be blocked' });
  answer.resolve('up');
  await Promise.all(results);
  expect(calls).toBe(1);
  expect(await rows()).toEqual([]);
  expect(await newCircuit().run(target('c'), up)).toBe('up');
});

test('a probe that says nothing about the provider leaves the probe to the next caller', async () => {
  await open('-1 second');
  await expect(newCircuit().run(target('c'), () => Promise.reject(new Error('no key')))).rejects.toThrow('no key');
  expect(await newCircuit().run(target('c'), up)).toBe('up');
  expect(await rows()).toEqual([]);
});

test('a reported answer closes the circuit for every process at once, also for one that has just read that it is open', async () => {
  await open('1 hour');
  const other = newCircuit();
  await expect(other.run(target('c'), up)).rejects.toThrow(CircuitOpen);
  const checking = newCircuit();
  await checking.answered({ origin: null });
  await checking.answered({ origin: 'https://elsewhere.example.com' });
  expect(await rows()).toMatchObject([{ origin, open: true }]);
  await checking.answered({ origin });
  expect(await rows()).toEqual([]);
  expect(checking.blocked(target('c'))).toBeNull();
  expect(await other.run(target('c'), up)).toBe('up');
});

test('a connection with many calls leaves each other one its first call', async () => {
  const circuit = newCircuit();
  const answer = Promise.withResolvers<string>();
  const run = (connectionId: string) => circuit.run(target(connectionId), () => answer.promise);
  const busy = Array.from({ length: 4 }, () => run('busy'));
  const firsts = ['a', 'b'].map((connectionId) => {
    expect(circuit.blocked(target(connectionId))).toBeNull();
    return run(connectionId);
  });
  for (const connectionId of ['busy', 'a', 'c']) {
    expect(circuit.blocked(target(connectionId))).toMatchObject({ reason: 'provider_busy' });
    await expect(run(connectionId)).rejects.toThrow(CircuitOpen);
  }
  answer.resolve('up');
  expect(await Promise.all([...busy, ...firsts])).toEqual(Array(6).fill('up'));
  expect(circuit.blocked(target('c'))).toBeNull();
});

test('open circuits are counted without their names, and origins that no process has called for a day are forgotten', async () => {
  await open('1 minute');
  await database.adminSql`
    insert into provider_circuits (origin, failures, updated_at)
    values ('https://old.example.com', 1, now() - interval '25 hours')`;
  const gauges = circuitGauges(database.systemDatabase);
  expect(await gauges.read()).toEqual([{ metric: providerMetrics.open, value: 1 }]);
  await purgeProviderCircuits(database.systemDatabase);
  expect(await rows()).toMatchObject([{ origin, open: true }]);
});

test('calls are exported by provider and outcome, and the codes of a provider cannot become endless', async () => {
  const registry = new Registry();
  const circuit = newCircuit({ registry });
  await circuit.run(target('c'), up);
  for (let number = 0; number < 80; number += 1) {
    const refused = Object.assign(new Refusal(), { code: `code_${number}` });
    await expect(circuit.run(target('c'), () => Promise.reject(refused))).rejects.toThrow(Refusal);
  }
  const text = await registry.metrics();
  expect(text).toContain('mostrador_provider_call_seconds_count{provider="caldav",outcome="ok"} 1');
  expect(text).toContain('mostrador_provider_call_seconds_count{provider="caldav",outcome="code_0"} 1');
  expect(text).toContain('mostrador_provider_call_seconds_count{provider="caldav",outcome="other"} 21');
});
