import { expect, test } from 'vitest';
import { shareCreator } from './workflow-thread.ts';

type Creator = Awaited<ReturnType<ReturnType<typeof shareCreator>>>;
const options = {} as Parameters<Creator['createWorkflow']>[0];

/** Threads that count what is asked of them. A broken one rejects workflows. */
function threads() {
  const made: { workflows: number; destroyed: number; broken: boolean }[] = [];
  const create = async (): Promise<Creator> => {
    const thread = { workflows: 0, destroyed: 0, broken: false };
    made.push(thread);
    return {
      createWorkflow: async () => {
        if (thread.broken) throw new Error('the thread is gone');
        thread.workflows += 1;
        return {} as Awaited<ReturnType<Creator['createWorkflow']>>;
      },
      destroy: async () => {
        thread.destroyed += 1;
      },
    };
  };
  return { made, create };
}

test('several workers share a thread, and the last one that stops destroys it', async () => {
  const { made, create } = threads();
  const join = shareCreator();
  const workers = await Promise.all([join(create), join(create), join(create)]);
  for (const worker of workers) await worker.createWorkflow(options);
  expect(made).toEqual([{ workflows: 3, destroyed: 0, broken: false }]);
  await workers[0]?.destroy();
  await workers[1]?.destroy();
  expect(made[0]?.destroyed).toBe(0);
  await workers[2]?.destroy();
  expect(made[0]?.destroyed).toBe(1);
  await (await join(create)).createWorkflow(options);
  expect(made.map(({ workflows }) => workflows)).toEqual([3, 1]);
});

test('a worker that starts after the thread failed gets another one', async () => {
  const { made, create } = threads();
  const join = shareCreator();
  const [first, second] = [await join(create), await join(create)];
  (made[0] as { broken: boolean }).broken = true;
  await expect(first.createWorkflow(options)).rejects.toThrow('gone');
  const third = await join(create);
  await third.createWorkflow(options);
  expect(made).toHaveLength(2);
  for (const worker of [first, second, third]) await worker.destroy();
  expect(made.map(({ destroyed }) => destroyed)).toEqual([1, 1]);
});

test('a thread that could not be made is made again for the next worker', async () => {
  const { create } = threads();
  const join = shareCreator();
  await expect(join(() => Promise.reject(new Error('no memory')))).rejects.toThrow('no memory');
  await (await join(create)).createWorkflow(options);
});
