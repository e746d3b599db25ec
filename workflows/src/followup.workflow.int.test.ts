import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentDetails } from '../test/current-details.ts';
import {
  again,
  done,
  type Script,
  type StagedFollowup,
  startWorkflowStage,
  type WorkflowStage,
} from '../test/stage.ts';
import { summaryOf } from '../test/summary-of.ts';

// `appointment.workflow.int.test.ts` tests the guarantees of every entity workflow. This file adds those of follow-ups.

const hourMs = 60 * 60 * 1000;

let stage: WorkflowStage;
beforeAll(async () => {
  stage = await startWorkflowStage();
});
afterAll(() => stage?.stop());

async function waiting(script: Script): Promise<StagedFollowup> {
  const followup = stage.followup(script);
  await followup.signal('scheduled');
  await waitFor(async () => (await currentDetails(followup.workflow)).startsWith('Waits'), { description: 'the wait' });
  return followup;
}

test('the current details and the timer show until when and why a follow-up waits', async () => {
  const next = again(hourMs, 'it is not due yet');
  const followup = await waiting((look) => (look === 1 ? next : done));
  const details = await currentDetails(followup.workflow);
  expect(details).toContain(next.wake_at);
  expect(details).toContain('it is not due yet');
  const { events } = await followup.workflow.fetchHistory();
  const timer = events?.find((event) => event.timerStartedEventAttributes);
  expect(summaryOf(timer)).toBe('Waits: it is not due yet');
  await followup.signal('cancelled');
  await followup.workflow.result();
});

test('a cancellation ends the wait and its timer', async () => {
  const followup = await waiting((look) => (look === 1 ? again(hourMs, 'it is not due yet') : done));
  await followup.signal('cancelled');
  await followup.workflow.result();
  expect(followup.looks()).toBe(2);
  const { events } = await followup.workflow.fetchHistory();
  expect(events?.some((event) => event.timerFiredEventAttributes)).toBe(false);
});

test('a new plan moves the wait, and the details show it', async () => {
  const moved = again(2 * hourMs, 'the sending window is closed');
  const followup = await waiting((look) => {
    if (look === 1) return again(hourMs, 'it is not due yet');
    return look === 2 ? moved : done;
  });
  await followup.signal('rescheduled');
  await waitFor(async () => (await currentDetails(followup.workflow)).includes(moved.wake_at ?? ''), {
    description: 'the new wait',
  });
  await followup.signal('cancelled');
  await followup.workflow.result();
});

test('a wait continues on another worker until its full time', async () => {
  let dueAt = 0;
  let cameAt = 0;
  const followup = await waiting((look) => {
    if (look === 1) {
      const next = again(3_000, 'it is not due yet');
      dueAt = Date.parse(next.wake_at ?? '');
      return next;
    }
    cameAt = Date.now();
    return done;
  });
  await stage.replaceWorker();
  await followup.workflow.result();
  expect(followup.looks()).toBe(2);
  expect(cameAt).toBeGreaterThanOrEqual(dueAt);
});

/** The duration of each timer in ms. Only for few steps, because the test server continues longer workflows as new. */
async function timersMs({ workflow }: StagedFollowup): Promise<number[]> {
  const { events } = await workflow.fetchHistory();
  return (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) => {
    const { seconds, nanos } = timer?.startToFireTimeout ?? {};
    return timer ? [Number(seconds ?? 0) * 1000 + (nanos ?? 0) / 1e6] : [];
  });
}
const passed = again(-1_000, 'another attempt is running');

test('waits for a time that has passed double from 1 ms', async () => {
  const followup = stage.followup((look) => (look < 5 ? passed : done));
  await followup.signal('scheduled');
  await followup.workflow.result();
  expect(followup.looks()).toBe(5);
  expect(await timersMs(followup)).toEqual([1, 2, 4, 8]);
});

test('waits for a time that has passed start from 1 ms again after any other wait', async () => {
  const ahead = again(hourMs, 'it is not due yet');
  const followup = stage.followup((look) => {
    if (look === 3) return ahead;
    return look < 5 ? passed : done;
  });
  await followup.signal('scheduled');
  await waitFor(async () => (await currentDetails(followup.workflow)).includes(ahead.wake_at ?? ''), {
    description: 'the other wait',
  });
  await followup.signal('rescheduled');
  await followup.workflow.result();
  expect((await timersMs(followup)).map((ms) => Math.min(ms, 60_000))).toEqual([1, 2, 60_000, 1]);
});

test('a worker whose clock is ahead runs steps until the follow-up is due by the database clock', async () => {
  const behindMs = 800;
  const decidingClock = () => Date.now() - behindMs;
  let dueAt = 0;
  let sentAt = 0;
  const followup = stage.followup((look) => {
    if (look === 1) dueAt = decidingClock() + 1_200;
    if (decidingClock() < dueAt) {
      return { done: false, wake_at: new Date(dueAt).toISOString(), reason: 'it is not due yet' };
    }
    sentAt = decidingClock();
    return done;
  });
  await followup.signal('scheduled');
  await followup.workflow.result();
  expect(sentAt).toBeGreaterThanOrEqual(dueAt);
  expect(followup.looks()).toBeGreaterThan(1);
});
