import type { Log } from '@mostrador/kit/log';
import type { Periodic } from '@mostrador/kit/periodic';

/** Processes what came in: at once when it is nudged, and now and then for what a crash left or what was put off. */
export type InboundProcessor = Periodic & { nudge(): void };

const everyMs = 500;

/**
 * Runs never twice at once. A nudge during a run makes another follow. Before `start` and after `stop` nothing runs.
 */
export function createInboundProcessor({
  log,
  process,
}: {
  log: Log;
  process: (signal: AbortSignal) => Promise<unknown>;
}): InboundProcessor {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;

  const run = async () => {
    do {
      again = false;
      try {
        await process(abort.signal);
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
  return {
    nudge,
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
