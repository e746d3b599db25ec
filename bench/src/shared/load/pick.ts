/** Chooses among things by their shares: what it returns takes a number from 0 to below 1. */
export function pickBy<T>(things: readonly T[], shareOf: (thing: T) => number): (at: number) => T {
  const total = things.reduce((sum, thing) => sum + shareOf(thing), 0);
  return (at) => {
    let left = at * total;
    const found = things.find((thing) => {
      left -= shareOf(thing);
      return left < 0;
    });
    return found ?? (things.at(-1) as T);
  };
}
