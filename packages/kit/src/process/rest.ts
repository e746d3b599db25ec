/** A wait of a loop that something else can end. */
export type Rest = {
  /** Resolves after so many milliseconds, with true, or at the next `wake`, with false. */
  for(ms: number): Promise<boolean>;
  /** Ends the wait. Without one it does nothing, so a loop looks for its reason before it waits. */
  wake(): void;
};

export function createRest(): Rest {
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
