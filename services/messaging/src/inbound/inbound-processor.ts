import type { Log } from '@mostrador/kit/process/log';
import type { Periodic } from '@mostrador/kit/process/periodic';
import { createWakeablePause } from '@mostrador/kit/process/wakeable-pause';
import { createWebhookIngest, type WebhookIngest } from './webhook-ingest.ts';

/** Processes stored payloads: at once after `ingest`, and every 500 ms for retries and what a crash left. */
export type InboundProcessor = Periodic & Pick<WebhookIngest, 'ingest'>;

const everyMs = 500;
/** The time between the beginnings of two runs. A run costs about the same for one payload as for ten. */
const apartMs = 100;

/**
 * Creates a processor with at most one run at a time. A payload that is stored during a run causes another run. Nothing
 * runs before `start` or after `stop`.
 */
export function createInboundProcessor({
  log,
  process,
}: {
  log: Log;
  /** It awaits `turn` before each batch. */
  process: (signal: AbortSignal, turn: () => Promise<void>) => Promise<unknown>;
}): InboundProcessor {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
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
  const ingest = createWebhookIngest({ onIngested: nudge, signal: abort.signal });
  return {
    ingest: ingest.ingest,
    start() {
      timer ??= setInterval(nudge, everyMs);
    },
    async stop() {
      abort.abort();
      clearInterval(timer);
      untilNext.wake();
      await running;
    },
  };
}
