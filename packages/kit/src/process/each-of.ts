/** Runs `work` for each item, at most `atOnce` at a time. */
export async function eachOf<T>(items: Iterable<T>, atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** The same for work with a result. The results are in the order of the items. */
export async function mapEach<T, R>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  await eachOf([...items].entries(), atOnce, async ([index, item]) => {
    results[index] = await work(item, index);
  });
  return results;
}
