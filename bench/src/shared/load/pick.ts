/** Returns a function that chooses an item by the items' shares, from a number that is at least 0 and below 1. */
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
