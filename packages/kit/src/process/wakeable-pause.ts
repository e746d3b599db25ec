/** A wait of a loop that something else can end. */
export type WakeablePause = {
  /** Resolves with true after `ms`, or with false at the next `wake`. */
  for(ms: number): Promise<boolean>;
  /** Ends the wait. Without one it does nothing, so a loop looks for its reason before it waits. */
  wake(): void;
};

export function createWakeablePause(): WakeablePause {
  let wake = () => {};
  return {
    for: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve(true), ms);
        wake = () => {
          clearTimeout(timer);
          resolve(false);
        };
      }),
    wake: () => wake(),
  };
}
