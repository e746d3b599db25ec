import { setTimeout as pause } from 'node:timers/promises';

export type Patience = {
  /** From then on (epoch ms) a failure is final. */
  readonly until: number;
  /** How long to wait after a failure, in milliseconds. */
  readonly pauseMs: () => number;
  /** Whether work that failed with this error may succeed later. */
  readonly mayPass: (error: unknown) => boolean;
};

/** Repeats work until it succeeds. Throws its error when that is final. */
export async function patiently<T>({ until, pauseMs, mayPass }: Patience, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || Date.now() >= until) throw error;
      await pause(pauseMs());
    }
  }
}
