import type { Log } from './log.ts';
import { type Periodic, untilTick } from './periodic.ts';
import { createWakeablePause } from './wakeable-pause.ts';

/** Throws when the dependency cannot be used. */
export type Check = () => Promise<void>;

/** What is wrong with a dependency, then what to do. The text is public: it contains no addresses and no secrets. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
}

/** The dependency does not answer now, which says nothing about the settings. The text is public, as that of `NotReady`. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

const isPublic = (cause: unknown): cause is Error => cause instanceof NotReady || cause instanceof NoAnswer;

/** A dependency's state. `detail` is public, so it reveals no addresses and no errors. */
export type DependencyState = { readonly state: 'up' | 'down'; readonly detail?: string };

export type Readiness = { readonly ready: boolean; readonly dependencies: Readonly<Record<string, DependencyState>> };

export type Health = {
  /** The process is alive. */
  live(): { readonly status: 'ok' };
  /** Whether requests can be served: every required dependency is up, and the process is not shutting down. */
  ready(): Promise<Readiness>;
  /** The states as the last answer of `ready` had them; undefined before the first. No check runs. */
  last(): Readiness | undefined;
  /** Since when the dependency has been down. Undefined: it is up, or was not checked yet. */
  downSince(name: string): Date | undefined;
  /** Makes the process not ready, so that it gets no more requests. */
  drain(): void;
  /** Whether `drain` was called. */
  isDraining(): boolean;
};

export type HealthOptions = {
  /** The process is not ready without these. */
  readonly required: Readonly<Record<string, Check>>;
  /** Only shown: the process is ready without them. While one is up, it is checked at most every `informativeEveryMs`. */
  readonly informative?: Readonly<Record<string, Check>>;
  /** Default 5,000. */
  readonly informativeEveryMs?: number;
  readonly log?: Log;
  /**
   * A dependency that is reached through another one, by name. While the other is down too, it is the cause, and the log
   * says nothing about this one.
   */
  readonly behind?: Readonly<Record<string, string>>;
  /** A check that takes longer has failed. Default 1,000. */
  readonly checkTimeoutMs?: number;
  /** The failed checks in a row after which a required dependency that was up makes the process unready. Default 1. */
  readonly failuresUntilUnready?: number;
  /** How long an answer is reused, so that probes are cheap; a fifth of it while not ready. Default 500. */
  readonly cacheMs?: number;
  /** Gets every answer before `ready` returns it. When it throws, the process is not ready. */
  readonly onReadiness?: (ready: boolean) => Promise<void>;
};

/** A process that starts may wait this long for the others before its log warns. */
const startsWithinMs = 30_000;

/**
 * The health of a process, from its dependencies. The log has one warning for all that fails at once, when it has failed
 * `failuresUntilUnready` times. If the process stops being ready, the warning says that, with the reasons.
 */
export function createHealth(options: HealthOptions): Health {
  const { required, informative = {}, log, checkTimeoutMs = 1_000, cacheMs = 500 } = options;
  const { failuresUntilUnready = 1, onReadiness = async () => {}, behind = {}, informativeEveryMs = 5_000 } = options;
  const checks = { ...required, ...informative };
  /** The details of the dependencies that the log says are down. */
  const logged = new Map<string, string | undefined>();
  const downSince = new Map<string, Date>();
  let wasReady = false;
  const createdAtMs = performance.now();
  /** Failed checks in a row, of each dependency that was up once. */
  const failures = new Map<string, number>();
  let draining = false;
  let last: { endedAtMs: number; readonly readiness: Promise<Readiness> } | undefined;
  let lastKnown: Readiness | undefined;

  /** When the informative dependencies were last found up. */
  const upAtMs = new Map<string, number>();
  const check = async (name: string, run: Check): Promise<[string, Checked]> => {
    const knownForMs = performance.now() - (upAtMs.get(name) ?? Number.NEGATIVE_INFINITY);
    if (knownForMs < informativeEveryMs) return [name, { state: 'up' }];
    const state = await checkWithin(run, checkTimeoutMs);
    if (name in informative && state.state === 'up') upAtMs.set(name, performance.now());
    if (state.state === 'up') downSince.delete(name);
    else if (!downSince.has(name)) downSince.set(name, new Date());
    if (state.state === 'up') failures.set(name, 0);
    else if (failures.has(name)) failures.set(name, (failures.get(name) ?? 0) + 1);
    return [name, state];
  };
  /** One that was never up has failed for long enough at once. */
  const hasFailedLong = (name: string) => (failures.get(name) ?? failuresUntilUnready) >= failuresUntilUnready;
  const checkAll = async (): Promise<Readiness> => {
    const states = await Promise.all(Object.entries(checks).map(([name, run]) => check(name, run)));
    const unusable = Object.keys(required).filter(hasFailedLong);
    logChanges(states, wasReady && unusable.length > 0);
    const dependencies = Object.fromEntries(
      states.map(([name, { state, detail }]) => [name, { state, ...(detail === undefined ? {} : { detail }) }]),
    );
    lastKnown = { ready: await follow(unusable, dependencies), dependencies };
    return lastKnown;
  };
  /** One line for what failed in one round, because it mostly has one cause. `isTold`: the next line has the reasons. */
  const logChanges = (states: readonly [string, Checked][], isTold: boolean): void => {
    // What a starting process waits for is no fault, unless it waits long or its settings are wrong.
    const isYoung = performance.now() - createdAtMs < startsWithinMs;
    const mayStart = (name: string, cause: unknown) => isYoung && !failures.has(name) && !(cause instanceof NotReady);
    const downNow = new Set(states.filter(([, { state }]) => state === 'down').map(([name]) => name));
    const isCaused = (name: string) => downNow.has(behind[name] ?? '');
    // When the cause is gone, its consequences may need a moment.
    for (const name of Object.keys(informative)) if (isCaused(name) && failures.has(name)) failures.set(name, 0);
    const fallen = states.filter(
      ([name, { state, detail, cause }]) =>
        state === 'down' &&
        hasFailedLong(name) &&
        !isCaused(name) &&
        !mayStart(name, cause) &&
        !(logged.has(name) && logged.get(name) === detail),
    );
    const risen = states.filter(([name, { state }]) => state === 'up' && logged.delete(name)).map(([name]) => name);
    for (const [name, { detail }] of fallen) logged.set(name, detail);
    if (risen.length > 0) log?.info({ dependencies: risen }, 'dependencies are up again');
    if (fallen.length === 0) return;
    const details = Object.fromEntries(fallen.map(([name, { detail }]) => [name, detail]));
    const isInNextLine = isTold && fallen.every(([name]) => name in required);
    log?.[isInNextLine ? 'info' : 'warn'](
      { dependencies: details, err: fallen[0]?.[1].cause },
      'dependencies are down',
    );
  };
  const follow = async (unusable: string[], dependencies: Readiness['dependencies']): Promise<boolean> => {
    const ready = unusable.length === 0;
    if (wasReady && !ready) {
      const reasons = Object.fromEntries(unusable.map((name) => [name, dependencies[name]?.detail]));
      log?.warn({ reasons }, 'not ready: takes no requests');
    }
    if (ready && !wasReady) log?.info('ready: takes requests');
    wasReady = ready;
    try {
      await onReadiness(ready);
      return ready;
    } catch (error) {
      log?.error({ err: error, ready }, 'a change of the readiness could not be carried out');
      return false;
    }
  };

  return {
    live: () => ({ status: 'ok' }),
    async ready() {
      if (last === undefined || performance.now() - last.endedAtMs >= (wasReady ? cacheMs : cacheMs / 5)) {
        const current = { endedAtMs: Number.POSITIVE_INFINITY, readiness: checkAll() };
        current.readiness.finally(() => {
          current.endedAtMs = performance.now();
        });
        last = current;
      }
      const readiness = await last.readiness;
      return draining ? { ...readiness, ready: false } : readiness;
    },
    last: () => lastKnown && { ...lastKnown, ready: lastKnown.ready && !draining },
    downSince: (name) => downSince.get(name),
    drain() {
      draining = true;
    },
    isDraining: () => draining,
  };
}

/**
 * A check that is not repeated once it has passed. An error that is no `NotReady` proves nothing, for example because a
 * server does not answer: the check of that server reports it.
 */
export function untilPassed(check: Check): Check {
  let running: Promise<void> | undefined;
  return () => {
    running ??= check().catch((error) => {
      running = undefined;
      if (error instanceof NotReady) throw error;
    });
    return running;
  };
}

const watchEveryMs = 1_000;
/** While every dependency is up. What a failure of the work shows is checked at once: `doubt`. */
const calmEveryMs = 5_000;

/** The watch over the readiness of a process. */
export type ReadinessWatch = Periodic & {
  /** The work has failed to use a dependency: check now, and every second until all are up. */
  doubt(): void;
};

/**
 * Checks at once, and then every 5 s, so that `onReadiness` gets a change without a probe: every second while a dependency
 * is down.
 */
export function watchReadiness(health: Health, log: Log): ReadinessWatch {
  const pause = createWakeablePause();
  let isStopped = false;
  let isDoubted = false;
  /** A doubt ends the pause. Before that a second passes, because a short fault must not count three times. */
  let heedsDoubts = false;
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    while (!isStopped) {
      isDoubted = false;
      const isWell = await health.ready().then(isAllUp, (err) => {
        log.error({ err }, 'the readiness could not be checked');
        return false;
      });
      if (!isStopped) await pause.for(jittered(watchEveryMs));
      heedsDoubts = true;
      if (isWell && !isDoubted && !isStopped) await pause.for(jittered(calmEveryMs - watchEveryMs));
      heedsDoubts = false;
    }
  };
  return {
    start() {
      running ??= run();
    },
    async stop() {
      isStopped = true;
      pause.wake();
      await running;
    },
    doubt() {
      isDoubted = true;
      if (heedsDoubts) pause.wake();
    },
  };
}

const jittered = (ms: number): number => untilTick(ms * (0.9 + Math.random() * 0.2), performance.now());

const isAllUp = ({ ready, dependencies }: Readiness): boolean =>
  ready && Object.values(dependencies).every(({ state }) => state === 'up');

type Checked = DependencyState & { readonly cause?: unknown };

async function checkWithin(run: Check, timeoutMs: number): Promise<Checked> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Checked>((resolve) => {
    timer = setTimeout(() => resolve({ state: 'down', detail: `no answer within ${timeoutMs} ms` }), timeoutMs);
  });
  const checked = (async (): Promise<Checked> => {
    try {
      await run();
      return { state: 'up' };
    } catch (cause) {
      return { state: 'down', detail: isPublic(cause) ? cause.message : 'the check failed', cause };
    }
  })();
  try {
    return await Promise.race([checked, late]);
  } finally {
    clearTimeout(timer);
  }
}
