import type { Log } from '@mostrador/kit/process/log';
import type { Periodic } from '@mostrador/kit/process/periodic';
import { createWebhookIngest, type WebhookIngest } from './webhook-ingest.ts';

/** Processes what came in: at once when it was taken in, and now and then for what a crash left or what was put off. */
export type InboundProcessor = Periodic & Pick<WebhookIngest, 'ingest'>;

const everyMs = 500;

/**
 * Runs never twice at once. What is taken in during a run makes another follow. Before `start` and after `stop` nothing
 * runs.
 */
export function createInboundProcessor({
  log,
  process,
}: {
  log: Log;
  /** `turn` resolves when a batch may be begun. */
  process: (signal: AbortSignal, turn: () => Promise<void>) => Promise<unknown>;
}): InboundProcessor {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;

  const run = async () => {
    do {
      again = false;
      try {
        await process(abort.signal, ingest.turn);
      } catch (error) {
        if (!abort.signal.aborted) log.error({ err: error }, 'inbound payloads could not be processed');
      }
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
      await running;
    },
  };
}
