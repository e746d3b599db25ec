import { eachOf } from '@mostrador/kit/process/each-of';

/** Does some work for each item, `most` at once, and returns the results in the order of the items. */
export async function atOnce<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  await eachOf(items.entries(), most, async ([place, item]) => {
    results[place] = await work(item);
  });
  return results;
}
