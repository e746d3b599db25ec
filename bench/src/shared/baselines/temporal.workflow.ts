import {
  condition,
  defineSignal,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';

type Steps = { doNothing(): Promise<null>; carry(signals: number): Promise<null> };

const { doNothing: first } = proxyLocalActivities<Steps>({ startToCloseTimeout: 5_000 });
const { doNothing, carry } = proxyActivities<Steps>({ startToCloseTimeout: 20_000 });

/**
 * The minimum cost of creating inside a workflow. The update runs one step and answers. The step does nothing, where a
 * real one would write the row, and is a local activity, the fastest kind.
 */
export async function create(id: string): Promise<void> {
  let created = false;
  setHandler(defineUpdate<string>('create'), async () => {
    await first();
    created = true;
    return id;
  });
  await condition(() => created);
}

/** The minimum cost of an entity workflow: a signal wakes it, and one activity does nothing. */
export async function carryNothing(): Promise<void> {
  setHandler(defineSignal('created'), () => {});
  await doNothing();
}

/**
 * The minimum cost of a workflow with a queue: an activity that does nothing, and another one when signals arrived
 * meanwhile. Each activity gets the number of signals that it answers.
 */
export async function carryQueue(): Promise<void> {
  let signals = 0;
  setHandler(defineSignal('accepted'), () => void signals++);
  await condition(() => signals > 0);
  for (let carried = 0; carried < signals; ) {
    const answered = signals - carried;
    carried = signals;
    await carry(answered);
  }
}

/** The minimum cost of a pending follow-up: a signal wakes it, one activity does nothing, then it waits for a timer. */
export async function waitLong(): Promise<void> {
  let woken = false;
  setHandler(defineSignal('scheduled'), () => {
    woken = true;
  });
  woken = false;
  await doNothing();
  await condition(() => woken, '300 days');
}
