import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Circuit, CircuitOpen, createCircuit } from './circuit.ts';

class Outage extends Error {}
class Refusal extends Error {}

const down = () => Promise.reject(new Outage());
const up = () => Promise.resolve('up');

let circuit: Circuit;
const blockedForMs = (connection: string) => circuit.blocked(connection)?.forMs ?? 0;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 21) });
  circuit = createCircuit({ isOutage: (error) => error instanceof Outage, callsAtOnce: 4, openMs: 30_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const fail = async (times: number, call: () => Promise<unknown> = down) => {
  for (let time = 0; time < times; time += 1) await expect(circuit.run('c', call)).rejects.toThrow(Error);
};

test('after five outages in a row the circuit makes no call for 30 s', async () => {
  await fail(4);
  expect(blockedForMs('c')).toBe(0);
  await fail(1);
  expect(blockedForMs('c')).toBe(30_000);

  const called = vi.fn(up);
  vi.advanceTimersByTime(29_999);
  expect(blockedForMs('c')).toBe(1);
  await expect(circuit.run('c', called)).rejects.toThrow(CircuitOpen);
  expect(called).not.toHaveBeenCalled();
});

test('after 30 s one call probes, and no other call waits for it', async () => {
  await fail(5);
  vi.advanceTimersByTime(30_000);
  expect(blockedForMs('c')).toBe(0);

  let answer = (_: string): void => {};
  const probe = circuit.run('c', () => new Promise<string>((resolve) => (answer = resolve)));
  expect(blockedForMs('c')).toBeGreaterThan(0);
  await expect(circuit.run('c', up)).rejects.toThrow(CircuitOpen);
  answer('up');
  await expect(probe).resolves.toBe('up');
  expect(blockedForMs('c')).toBe(0);
  await expect(circuit.run('c', up)).resolves.toBe('up');
});

test('a failed probe opens the circuit again', async () => {
  await fail(5);
  vi.advanceTimersByTime(30_000);
  await fail(1);
  expect(blockedForMs('c')).toBe(30_000);
});

test('a success resets the count of outages', async () => {
  await fail(4);
  await circuit.run('c', up);
  await fail(4);
  expect(blockedForMs('c')).toBe(0);
});

test('a rejection by the provider is not an outage', async () => {
  await fail(10, () => Promise.reject(new Refusal()));
  expect(blockedForMs('c')).toBe(0);
});

test('a connection never runs more calls at once than its limit', async () => {
  const answers: ((value: string) => void)[] = [];
  const running = Array.from({ length: 4 }, () =>
    circuit.run('c', () => new Promise<string>((go) => answers.push(go))),
  );
  expect(blockedForMs('c')).toBeGreaterThan(0);
  await expect(circuit.run('c', up)).rejects.toThrow(CircuitOpen);
  for (const answer of answers) answer('up');
  await Promise.all(running);
  expect(blockedForMs('c')).toBe(0);
});

test('an open circuit of one connection does not block another', async () => {
  await fail(5);
  expect(blockedForMs('other')).toBe(0);
  await expect(circuit.run('other', up)).resolves.toBe('up');
});

test('while all slots are taken each caller gets its own turn, so that a long queue does not poll', async () => {
  const answers: (() => void)[] = [];
  const running = [1, 2, 3, 4].map(() => circuit.run('c', () => new Promise<void>((resolve) => answers.push(resolve))));
  const turns = Array.from({ length: 1_000 }, () => blockedForMs('c'));
  expect(turns).toEqual(turns.toSorted((a, b) => a - b));
  expect(new Set(turns).size).toBeGreaterThan(990);
  expect(turns.at(-1)).toBeLessThanOrEqual(5 * 60_000);
  expect(blockedForMs('another')).toBe(0);

  for (const answer of answers) answer();
  await Promise.all(running);
  expect(blockedForMs('c')).toBe(0);
});
