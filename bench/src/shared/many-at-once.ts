const atOnce = 8;

/** Makes `count` things, some at once, and returns them in the order of their indexes. */
export async function manyAtOnce<T>(
  count: number,
  make: (index: number) => Promise<T>,
  places: number = atOnce,
): Promise<T[]> {
  const made: T[] = [];
  let next = 0;
  const maker = async () => {
    for (let index = next++; index < count; index = next++) made[index] = await make(index);
  };
  await Promise.all(Array.from({ length: places }, maker));
  return made;
}
