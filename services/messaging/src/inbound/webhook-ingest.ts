/** Lets what comes in be stored and answered before what is stored gets processed. */
export type WebhookIngest = {
  /** Counts the work as coming in while it runs. */
  ingest(work: () => Promise<void>): Promise<void>;
  /**
   * Resolves when a batch may be processed: at once, unless there is a burst. It waits for the burst to end, but no longer
   * than `longestBurstMs` from its beginning, and after that as long as it has waited it does not wait again: so whatever
   * comes in, signed or not, processing has its share. For one caller.
   */
  turn(): Promise<void>;
};

export type WebhookIngestOptions = {
  /** More than this at once are a burst, */
  readonly inPassing?: number;
  /** which has ended when there were no more for so long. */
  readonly calmMs?: number;
  readonly longestBurstMs?: number;
  /** Hears of every work that succeeded. */
  readonly onIngested: () => void;
  /** Ends the waiting for a turn. */
  readonly signal: AbortSignal;
};

type Burst = { readonly sinceMs: number; readonly over: PromiseWithResolvers<void>; calming?: NodeJS.Timeout };

export function createWebhookIngest(options: WebhookIngestOptions): WebhookIngest {
  const { inPassing = 4, calmMs = 100, longestBurstMs = 5_000, onIngested, signal } = options;
  let count = 0;
  let burst: Burst | undefined;
  let restUntilMs = 0;

  const end = () => {
    clearTimeout(burst?.calming);
    burst?.over.resolve();
    burst = undefined;
  };
  signal.addEventListener('abort', end);

  const begin = () => {
    count += 1;
    if (count <= inPassing || signal.aborted) return;
    burst ??= { sinceMs: performance.now(), over: Promise.withResolvers() };
    clearTimeout(burst.calming);
    burst.calming = undefined;
  };
  const leave = () => {
    count -= 1;
    if (burst && count <= inPassing) burst.calming ??= setTimeout(end, calmMs);
  };

  return {
    async ingest(work) {
      begin();
      try {
        await work();
      } finally {
        leave();
      }
      onIngested();
    },
    async turn() {
      const beganMs = performance.now();
      const leftMs = burst ? burst.sinceMs + longestBurstMs - beganMs : 0;
      if (!burst || leftMs <= 0 || beganMs < restUntilMs) return;
      const limit = Promise.withResolvers<void>();
      const timer = setTimeout(limit.resolve, leftMs);
      await Promise.race([burst.over.promise, limit.promise]);
      clearTimeout(timer);
      const nowMs = performance.now();
      restUntilMs = nowMs + (nowMs - beganMs);
    },
  };
}
