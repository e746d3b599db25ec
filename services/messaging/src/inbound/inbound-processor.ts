import type { Log } from '@mostrador/kit/process/log';
import type { Periodic } from '@mostrador/kit/process/periodic';
import { createWakeablePause } from '@mostrador/kit/process/wakeable-pause';
import { createWebhookIngest, type WebhookIngest } from './webhook-ingest.ts';

/**
 * Processes stored payloads: at once after `ingest`, and every 500 ms for retries. When nothing is open it looks every 5 s,
 * for what another process left.
 */
export type InboundProcessor = Periodic & Pick<WebhookIngest, 'ingest'>;

const everyMs = 500;
const calmEveryMs = 5_000;
/** The time between the beginnings of two runs. A run costs about the same for one payload as for ten. */
const apartMs = 200;

/**
 * Creates a processor with at most one run at a time. A payload that is stored during a run causes another run. Nothing
 * runs before `start` or after `stop`.
 */
export function createInboundProcessor({
  log,
  process,
  hasOpen,
}: {
  log: Log;
  /** It awaits `turn` before each batch. */
  process: (signal: AbortSignal, turn: () => Promise<void>) => Promise<unknown>;
  /** Whether payloads wait for a retry, or another process has them. */
  hasOpen: () => Promise<boolean>;
}): InboundProcessor & {
  /** Looks within 500 ms: a payload was stored, for this processor or for another one. */
  expect(): void;
} {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  /** How often something was stored. */
  let stored = 0;
  let isCalm = false;
  const untilNext = createWakeablePause();

  const run = async () => {
    do {
      again = false;
      const beganMs = performance.now();
      try {
        await process(abort.signal, ingest.turn);
      } catch (error) {
        if (!abort.signal.aborted) log.error({ err: error }, 'inbound payloads could not be processed');
      }
      const leftMs = beganMs + apartMs - performance.now();
      if (leftMs > 0 && !abort.signal.aborted) await untilNext.for(leftMs);
    } while (again && !abort.signal.aborted);
    running = undefined;
  };
  const nudge = () => {
    if (timer === undefined || abort.signal.aborted) return;
    again = true;
    running ??= run();
  };
  const look = async () => {
    const before = stored;
    nudge();
    await running;
    isCalm = stored === before && !abort.signal.aborted && !(await hasOpen().catch(() => true)) && stored === before;
    lookLater();
  };
  const lookLater = () => {
    clearTimeout(timer);
    if (!abort.signal.aborted) timer = setTimeout(() => void look(), isCalm ? calmEveryMs : everyMs);
  };
  const expect = () => {
    stored += 1;
    if (!isCalm) return;
    isCalm = false;
    lookLater();
  };
  const onIngested = () => {
    expect();
    nudge();
  };
  const ingest = createWebhookIngest({ onIngested, signal: abort.signal });
  return {
    ingest: ingest.ingest,
    expect,
    start() {
      if (timer === undefined) lookLater();
    },
    async stop() {
      abort.abort();
      clearTimeout(timer);
      untilNext.wake();
      await running;
    },
  };
}
