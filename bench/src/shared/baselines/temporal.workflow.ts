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
 * What creating inside a workflow costs at the very least: the update runs one step, which would write the row and here
 * does nothing, and answers. The step is a local activity, the quickest kind.
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

/** What carrying a row costs at the very least: woken by a signal, one activity that does nothing. */
export async function carryNothing(): Promise<void> {
  setHandler(defineSignal('created'), () => {});
  await doNothing();
}

/**
 * What carrying a queue costs at the very least: an activity that does nothing, and another one when signals came
 * meanwhile, however many; it is told how many it answers.
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

/** What a pending follow-up costs at the very least: woken by a signal, the same activity, then a timer. */
export async function waitLong(): Promise<void> {
  let woken = false;
  setHandler(defineSignal('scheduled'), () => {
    woken = true;
  });
  woken = false;
  await doNothing();
  await condition(() => woken, '300 days');
}
