/** Does some work for each item, `most` at once, and returns the results in the order of the items. */
export async function atOnce<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    for (;;) {
      const place = next;
      next += 1;
      if (place >= items.length) return;
      results[place] = await work(items[place] as Item);
    }
  };
  await Promise.all(Array.from({ length: most }, worker));
  return results;
}
