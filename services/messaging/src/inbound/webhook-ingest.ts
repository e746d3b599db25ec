/** Gives storing and answering webhooks precedence over processing them. */
export type WebhookIngest = {
  /** Runs the work and counts it as a webhook in progress. */
  ingest(work: () => Promise<void>): Promise<void>;
  /**
   * Resolves when a batch may be processed: at once, or at the end of a burst. It waits at most until `longestBurstMs`
   * after the burst began. Then it does not wait again for as long as it has waited. So processing gets at least half
   * of the time, even under a flood of unsigned webhooks. Only one caller may use it.
   */
  turn(): Promise<void>;
};

export type WebhookIngestOptions = {
  /** More webhooks in progress than this are a burst. */
  readonly inPassing?: number;
  /** A burst ends when there was no more than `inPassing` for this long. */
  readonly calmMs?: number;
  readonly longestBurstMs?: number;
  /** Called after each work that succeeded. */
  readonly onIngested: () => void;
  /** Its abort ends every wait in `turn`. */
  readonly signal: AbortSignal;
};

type Burst = { readonly sinceMs: number; readonly over: PromiseWithResolvers<void>; calming?: NodeJS.Timeout };

export function createWebhookIngest(options: WebhookIngestOptions): WebhookIngest {
  const { inPassing = 4, calmMs = 20, longestBurstMs = 5_000, onIngested, signal } = options;
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
