import { expect, test } from 'vitest';
import { createBatching } from './batching.ts';

/** A batching whose batches end when the test ends them. */
function openBatching(mostSize = 100) {
  const batches: { key: string; items: readonly string[]; done: PromiseWithResolvers<(Error | undefined)[]> }[] = [];
  const batching = createBatching<string>({
    work: (key, items) => {
      const done = Promise.withResolvers<(Error | undefined)[]>();
      batches.push({ key, items, done });
      return done.promise;
    },
    sizeOf: (item) => item.length,
    mostSize,
  });
  const items = () => batches.map(({ key, items }) => `${key}: ${items.join(' ')}`);
  return { batching, batches, items };
}

test('items that arrive during a batch form the next one, in order, and other keys do not wait', async () => {
  const { batching, batches, items } = openBatching();
  const first = batching.add('a', '1');
  await expect.poll(items).toEqual(['a: 1']);
  const later = [batching.add('a', '2'), batching.add('a', '3'), batching.add('b', '1')];
  await expect.poll(items).toEqual(['a: 1', 'b: 1']);
  batches[0]?.done.resolve([]);
  await first;
  await expect.poll(items).toEqual(['a: 1', 'b: 1', 'a: 2 3']);
  batches[1]?.done.resolve([]);
  batches[2]?.done.resolve([]);
  await Promise.all(later);
});

test('a failed item rejects alone, a failed batch rejects all its items, and the next batch still runs', async () => {
  const { batching, batches } = openBatching();
  const both = Promise.allSettled([batching.add('a', '1'), batching.add('a', '2')]);
  await expect.poll(() => batches.length).toBe(1);
  const next = Promise.allSettled([batching.add('a', '3')]);
  batches[0]?.done.resolve([undefined, new Error('not this one')]);
  expect((await both).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  await expect.poll(() => batches.length).toBe(2);
  const last = batching.add('a', '4');
  batches[1]?.done.reject(new Error('the database is away'));
  expect(await next).toMatchObject([{ status: 'rejected', reason: { message: 'the database is away' } }]);
  await expect.poll(() => batches.length).toBe(3);
  batches[2]?.done.resolve([]);
  await last;
});

test('a batch exceeds the size limit only with a single item', async () => {
  const { batching, batches, items } = openBatching(4);
  const all = ['11', '22', '3', '444444', '5'].map((item) => batching.add('a', item));
  for (let index = 0; index < 4; index++) {
    await expect.poll(() => batches.length).toBe(index + 1);
    batches[index]?.done.resolve([]);
  }
  await Promise.all(all);
  expect(items()).toEqual(['a: 11 22', 'a: 3', 'a: 444444', 'a: 5']);
});
