import type { SystemDatabase } from '@mostrador/kit/database/database';
import { appendOutboxWithCommit, type Relay } from '@mostrador/kit/outbox/outbox';
import type { Log } from '@mostrador/kit/process/log';
import type { Periodic } from '@mostrador/kit/process/periodic';
import { createWakeablePause } from '@mostrador/kit/process/wakeable-pause';
import { findNextDueMs, markStarted } from './turn.repository.ts';
import { wakeReply } from './turn.ts';

export type TurnStarter = Periodic & {
  /** A turn has been opened in this process, and is due then. Without that the starter finds it within 5 s. */
  expect(dueAt: Date): void;
};

/** For a turn of a process that died after it had opened it. */
const lookEveryMs = 5_000;
const retryMs = 1_000;
/** For what is due while another transaction has locked it. */
const lockedPauseMs = 10;
const batch = 100;
const scope = () => ({ deadline: Date.now() + 5_000 });

/**
 * Starts the workflow of each turn at the moment at which it is due. Before that the turn is a row and nothing else, so a
 * lead who is still writing costs Temporal and its worker nothing. Several processes may run it: each turn is started by one
 * of them. What it starts is in the outbox when the row says so.
 */
export function createTurnStarter({
  systemDatabase,
  relay,
  log,
}: {
  readonly systemDatabase: SystemDatabase;
  readonly relay: Pick<Relay, 'nudge'>;
  readonly log: Log;
}): TurnStarter {
  const pause = createWakeablePause();
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  /** When the next turn is due, in epoch milliseconds, as far as it is known. */
  let nextAt = 0;
  let works = true;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const waitMs = await pass().then(
        (ms) => {
          works = true;
          return ms;
        },
        (error) => {
          if (works) log.warn({ err: error }, 'due AI turns cannot be started, retries follow');
          works = false;
          return retryMs;
        },
      );
      nextAt = Math.min(nextAt, Date.now() + waitMs);
      if (!stopping.signal.aborted) await pause.for(Math.min(lookEveryMs, Math.max(0, Math.ceil(nextAt - Date.now()))));
    }
  }

  /** Starts what is due. Returns for how long nothing else is. */
  async function pass(): Promise<number> {
    const isDue = nextAt <= Date.now();
    nextAt = Number.POSITIVE_INFINITY;
    const started = isDue ? await start() : 0;
    const dueMs = await systemDatabase.read(scope(), findNextDueMs);
    return isDue && started === 0 && dueMs <= 0 ? lockedPauseMs : dueMs;
  }

  async function start(): Promise<number> {
    const started = await systemDatabase.write(scope(), async (sql) => {
      const due = await markStarted(sql, batch);
      for (const [storeId, turns] of Map.groupBy(due, ({ store_id }) => store_id)) {
        const wakeUps = turns.map(({ lead_id }) => wakeReply(lead_id, 'received'));
        appendOutboxWithCommit(sql, storeId, wakeUps);
      }
      return due.length;
    });
    if (started > 0) relay.nudge(['workflow']);
    return started;
  }

  return {
    expect(dueAt) {
      if (dueAt.getTime() >= nextAt) return;
      nextAt = dueAt.getTime();
      pause.wake();
    },
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      pause.wake();
      await running;
    },
  };
}
