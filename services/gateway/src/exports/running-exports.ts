import { gauge, type MetricDefinition, type Metrics } from '@mostrador/kit/process/metrics';
import { AppError } from '@mostrador/kit/rpc/errors';

/** The exports of this process. */
export type RunningExports = {
  /**
   * Returns what to call when the export has ended.
   *
   * @param breakOff breaks off the response: the process stops
   * @throws AppError `quota_exceeded` when the store has too many, `service_unavailable` when all stores together have
   */
  begin(storeId: string, breakOff: () => void): () => void;
  /** Breaks off all exports, and refuses later ones. */
  close(): void;
};

/** The number of exports that a store may have in a process. */
export const mostOfStore = 2;
/** The number of all stores. Each export holds two pages, mostly of 256 KiB. */
const mostOfAll = 64;
const retryAfterSeconds = 30;

export const runningExports = {
  name: 'mostrador_exports',
  type: 'gauge',
  help: 'Exports under way. Beyond 64 a further one gets 503.',
} as const satisfies MetricDefinition;

export function createRunningExports(metrics: Metrics): RunningExports {
  const running = new Set<{ readonly storeId: string; readonly breakOff: () => void }>();
  let isClosed = false;
  gauge(metrics, runningExports, (each) => each.set(running.size));
  return {
    begin(storeId, breakOff) {
      if (isClosed) throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
      const ofStore = [...running].filter((each) => each.storeId === storeId).length;
      if (ofStore >= mostOfStore) {
        const detail = `The store has ${mostOfStore} exports under way. Retry after \`Retry-After\` seconds.`;
        throw new AppError('quota_exceeded', { detail, retryAfterSeconds });
      }
      if (running.size >= mostOfAll) {
        const detail = 'The gateway has too many exports under way. Retry after `Retry-After` seconds.';
        throw new AppError('service_unavailable', { detail, retryAfterSeconds });
      }
      const one = { storeId, breakOff };
      running.add(one);
      return () => void running.delete(one);
    },
    close() {
      isClosed = true;
      for (const { breakOff } of running) breakOff();
    },
  };
}
