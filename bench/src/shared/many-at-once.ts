import { eachOf } from '@mostrador/kit/process/each-of';

const usualPlaces = 8;

/** Makes `count` things, `places` at once, and returns them in the order of their indexes. */
export async function manyAtOnce<T>(
  count: number,
  make: (index: number) => Promise<T>,
  places: number = usualPlaces,
): Promise<T[]> {
  const made: T[] = [];
  await eachOf(Array(count).keys(), places, async (index) => {
    made[index] = await make(index);
  });
  return made;
}
