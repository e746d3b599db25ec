import { setTimeout as pause } from 'node:timers/promises';
import { creating, type FollowupStage } from './stage.ts';

const dayMs = 24 * 60 * 60_000;
const lookEveryMs = 100;
const stillMs = 300_000;
/** The fill never has more than 1.5 of these batches without a workflow, so that the queue stays short. */
const fillBatch = 1_000;

/** Bodies of follow-ups for the leads in turn, each due at the time for its index. */
export const bodiesOf = (leadIds: readonly string[], count: number, dueAtMs: (index: number) => number): string[] =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      lead_id: leadIds[index % leadIds.length],
      message: 'Are you still interested in the frames that you tried on?',
      due_at: new Date(dueAtMs(index)).toISOString(),
    }),
  );

/** Bodies of follow-ups that are due between 30 and 330 days from now. */
const farBodies = (leadIds: readonly string[], count: number): string[] =>
  bodiesOf(leadIds, count, (index) => Date.now() + (30 + (index % 300)) * dayMs);

export type Scheduled = {
  /** Answered with 201, per second. */
  readonly acceptedPerSecond: number;
  /** Accepted and with a workflow that waits for the due time, per second. */
  readonly waitingPerSecond: number;
};

/** Schedules follow-ups and waits until each workflow has made its first step and waits for the due time. */
export async function scheduleMany(stage: FollowupStage, count: number): Promise<Scheduled> {
  const before = await stage.stepsDone();
  const since = performance.now();
  const { perSecond } = await stage.load(creating(stage.target, farBodies(stage.leadIds, count)));
  await reach(stage.stepsDone, before + count);
  return { acceptedPerSecond: perSecond, waitingPerSecond: perSecondSince(since, count) };
}

/** Does the same with Temporal alone: each workflow has an activity that does nothing, then a timer. */
export async function startBare({ temporalClient, temporalWorker }: FollowupStage, count: number): Promise<number> {
  const stepsDone = () => temporalWorker.call<number>('stepsDone');
  const before = await stepsDone();
  const since = performance.now();
  await temporalClient.call('startWaiting', count);
  await reach(stepsDone, before + count);
  return perSecondSince(since, count);
}

/** Fills the store with pending follow-ups until all workflows wait. Returns the rate per second. */
export async function fill(
  stage: FollowupStage,
  count: number,
  { say, signal }: { say: (text: string) => void; signal: AbortSignal },
): Promise<number> {
  const before = await stage.stepsDone();
  const since = performance.now();
  for (let made = 0; made < count; ) {
    signal.throwIfAborted();
    const batch = Math.min(fillBatch, count - made);
    await stage.load(creating(stage.target, farBodies(stage.leadIds, batch)));
    made += batch;
    const enough = made === count ? count : made - fillBatch / 2;
    await reach(stage.stepsDone, before + enough);
    if (made % (10 * fillBatch) === 0) say(`${made} pending, ${Math.round(perSecondSince(since, made))}/s.`);
  }
  return perSecondSince(since, count);
}

const perSecondSince = (since: number, count: number): number => count / ((performance.now() - since) / 1000);

/** Waits until this many steps are done. Throws when there is no progress for 300 s. */
export async function reach(stepsDone: () => Promise<number>, wanted: number): Promise<void> {
  let last = -1;
  let limit = 0;
  for (let steps = await stepsDone(); steps < wanted; steps = await stepsDone()) {
    const now = performance.now();
    if (steps !== last) [last, limit] = [steps, now + stillMs];
    if (now > limit)
      throw new Error(
        `${wanted - steps} workflows have not made their first step, and none has for ${stillMs / 1000} s`,
      );
    await pause(lookEveryMs);
  }
}
