import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createHealth, NoAnswer, NotReady, watchReadiness } from './health.ts';
import type { Log } from './log.ts';

const up = async () => {};
const down = async () => {
  throw new Error('connect ECONNREFUSED 10.0.0.7:5432');
};
const hangs = () => new Promise<void>(() => {});

describe('readiness', () => {
  test('needs every required dependency, and only shows the others', async () => {
    const health = createHealth({ required: { postgres: up, nats: up }, informative: { temporal: down } });
    expect(await health.ready()).toEqual({
      ready: true,
      dependencies: {
        postgres: { state: 'up' },
        nats: { state: 'up' },
        temporal: { state: 'down', detail: 'the check failed' },
      },
    });
    expect((await createHealth({ required: { postgres: down } }).ready()).ready).toBe(false);
  });

  test('reveals no addresses and no errors', async () => {
    const readiness = await createHealth({ required: { postgres: down } }).ready();
    expect(JSON.stringify(readiness)).not.toMatch(/10\.0\.0|ECONN/);
  });

  test('shows the reason that a check gives', async () => {
    const detail = 'PostgreSQL rejects the login: check the user and password in DATABASE_URL.';
    const refused = () => Promise.reject(new NotReady(detail, { cause: new Error('10.0.0.7') }));
    const readiness = await createHealth({ required: { postgres: refused } }).ready();
    expect(readiness.dependencies).toEqual({ postgres: { state: 'down', detail } });
  });

  test('reaches its listener before the probe is answered, and a listener that fails makes the process unready', async () => {
    const told: boolean[] = [];
    const outcomes = [up, down, up];
    const health = createHealth({
      required: { postgres: () => (outcomes.shift() ?? up)() },
      onReadiness: async (ready) => {
        told.push(ready);
        if (outcomes.length === 0) throw new Error('NATS does not answer');
      },
      cacheMs: 0,
    });
    for (const [index, ready] of [true, false, false].entries()) {
      expect((await health.ready()).ready).toBe(ready);
      expect(told).toHaveLength(index + 1);
    }
    expect(told).toEqual([true, false, true]);
  });

  test('does not wait for a check that hangs', async () => {
    const health = createHealth({ required: { postgres: hangs }, checkTimeoutMs: 20 });
    expect(await health.ready()).toEqual({
      ready: false,
      dependencies: { postgres: { state: 'down', detail: 'no answer within 20 ms' } },
    });
  });

  test('runs a check once for concurrent callers, and again when the answer is old', async () => {
    let checks = 0;
    const count = async () => {
      checks++;
    };
    const cached = createHealth({ required: { postgres: count } });
    await Promise.all(Array.from({ length: 20 }, () => cached.ready()));
    expect(checks).toBe(1);
    const fresh = createHealth({ required: { postgres: count }, cacheMs: 0 });
    await fresh.ready();
    await fresh.ready();
    expect(checks).toBe(3);
  });

  test('asks a dependency that is only shown rarely while it is up, and each time while it is down', async () => {
    let [calls, isUp] = [0, true];
    const temporal = async () => {
      calls += 1;
      if (!isUp) throw new Error('down');
    };
    const health = createHealth({ required: {}, informative: { temporal }, cacheMs: 0 });
    for (let round = 0; round < 3; round += 1) await health.ready();
    expect(calls).toBe(1);
    isUp = false;
    const failing = createHealth({ required: {}, informative: { temporal }, cacheMs: 0 });
    for (let round = 0; round < 3; round += 1) await failing.ready();
    expect(calls).toBe(4);
  });

  test('survives short failures of a dependency that was up, and returns with its first success', async () => {
    const outcomes = [down, up, down, down, up, down, down, down, up];
    const health = createHealth({
      required: { postgres: () => (outcomes.shift() ?? up)() },
      failuresUntilUnready: 3,
      cacheMs: 0,
    });
    const seen: boolean[] = [];
    for (let i = 0; i < 9; i++) seen.push((await health.ready()).ready);
    expect(seen).toEqual([false, true, true, true, true, true, true, false, true]);
  });

  test('ends at once when the process drains, while liveness continues', async () => {
    const health = createHealth({ required: { postgres: up } });
    expect((await health.ready()).ready).toBe(true);
    health.drain();
    expect((await health.ready()).ready).toBe(false);
    expect(health.live()).toEqual({ status: 'ok' });
  });
});

describe('the log', () => {
  /** A log whose lines are `level message: names`. */
  function recorded() {
    const lines: string[] = [];
    const at =
      (level: string) =>
      (values: { dependencies?: object; reasons?: object } | string, message = '') => {
        if (typeof values === 'string') return lines.push(`${level} ${values}`);
        const names = Array.isArray(values.dependencies)
          ? values.dependencies
          : Object.keys(values.dependencies ?? values.reasons ?? {});
        return lines.push(`${level} ${message}: ${names.join()}`);
      };
    return { lines, log: { warn: at('warn'), info: at('info'), error: at('error') } as unknown as Log };
  }
  const wrong = () => Promise.reject(new NotReady('PostgreSQL rejects the login: check DATABASE_URL.'));

  test('has one warning for one cause: NATS is down, and so no service answers', async () => {
    const { lines, log } = recorded();
    let nats = up;
    const overNats = () => nats();
    const services = { crm: overNats, messaging: overNats, events: overNats };
    const behind = { crm: 'nats', messaging: 'nats', events: 'nats' };
    const health = createHealth({
      ...{ required: { postgres: up, nats: overNats }, informative: services, behind },
      ...{ failuresUntilUnready: 3, cacheMs: 0, log },
    });
    await health.ready();
    nats = down;
    for (let round = 0; round < 5; round += 1) await health.ready();
    nats = up;
    for (let round = 0; round < 2; round += 1) await health.ready();
    expect(lines).toEqual([
      'info ready: takes requests',
      'info dependencies are down: nats',
      'warn not ready: takes no requests: nats',
      'info dependencies are up again: nats',
      'info ready: takes requests',
    ]);
  });

  test('has one warning when a service that the process works without is down, however often it is checked', async () => {
    const { lines, log } = recorded();
    const gone = () => Promise.reject(new NoAnswer('No process of crm answers: start one.'));
    const outcomes = [up, gone, up, gone, gone, gone, gone, up];
    const crm = () => (outcomes.shift() ?? up)();
    const health = createHealth({
      required: { nats: up },
      ...{ informative: { crm }, informativeEveryMs: 0 },
      failuresUntilUnready: 3,
      cacheMs: 0,
      log,
    });
    for (let round = 0; round < 9; round += 1) await health.ready();
    expect(lines.slice(1)).toEqual(['warn dependencies are down: crm', 'info dependencies are up again: crm']);
  });

  test('has no warning about what a starting process waits for, and one at once about wrong settings', async () => {
    const { lines, log } = recorded();
    let ready: () => Promise<void> = down;
    const health = createHealth({
      required: { nats: () => ready(), postgres: wrong },
      informative: { crm: down },
      cacheMs: 0,
      log,
    });
    for (let round = 0; round < 3; round += 1) await health.ready();
    ready = up;
    await health.ready();
    expect(lines).toEqual(['warn dependencies are down: postgres']);
  });
});

describe('the watch', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A watch over a dependency, and when it was checked, in seconds. */
  function watched(check: () => Promise<void>) {
    const log = { warn() {}, info() {}, error() {} } as unknown as Log;
    const beganMs = performance.now();
    const checkedAt: number[] = [];
    const checked = () => {
      checkedAt.push((performance.now() - beganMs) / 1000);
      return check();
    };
    const health = createHealth({ required: { postgres: checked }, failuresUntilUnready: 3, log });
    const watch = watchReadiness(health, log);
    watch.start();
    return { health, watch, checkedAt };
  }
  const gaps = (moments: readonly number[]) => moments.slice(1).map((moment, index) => moment - (moments[index] ?? 0));

  test('checks every 5 s while all is up', async () => {
    const { checkedAt } = watched(up);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(checkedAt[0]).toBe(0);
    for (const gap of gaps(checkedAt)) expect(gap).toBeGreaterThan(3.5);
    for (const gap of gaps(checkedAt)) expect(gap).toBeLessThan(6.5);
  });

  test('checks every second while something is down', async () => {
    const { checkedAt } = watched(down);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(checkedAt.length).toBeGreaterThan(12);
  });

  test('after a doubt it finds a dependency that is down within 3 s, however often it is doubted', async () => {
    let check = up;
    const { health, watch, checkedAt } = watched(() => check());
    await vi.advanceTimersByTimeAsync(2_500);
    check = down;
    const before = checkedAt.length;
    for (let tenth = 0; tenth < 35; tenth += 1) {
      watch.doubt();
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(health.last()?.ready).toBe(false);
    // A fault of less than a second is one failure, whatever the number of doubts.
    for (const gap of gaps(checkedAt.slice(before))) expect(gap).toBeGreaterThan(0.5);
  });

  test('ends when it is stopped', async () => {
    const { watch, checkedAt } = watched(up);
    await vi.advanceTimersByTimeAsync(2_000);
    await watch.stop();
    const { length } = checkedAt;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(checkedAt).toHaveLength(length);
  });
});
