import { waitFor } from '@mostrador/testing/wait';
import { defaultPayloadConverter } from '@temporalio/common';
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

// What every entity workflow promises is held by `appointment.workflow.int.test.ts`; here is what follow-ups need of it.

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

test('says what it waits for and until when, on its timer too', async () => {
  const next = again(hourMs, 'it is not due yet');
  const followup = await waiting((look) => (look === 1 ? next : done));
  const details = await currentDetails(followup.workflow);
  expect(details).toContain(next.wake_at);
  expect(details).toContain('it is not due yet');
  const { events } = await followup.workflow.fetchHistory();
  const timer = events?.find((event) => event.timerStartedEventAttributes);
  const summary = timer?.userMetadata?.summary;
  expect(summary && defaultPayloadConverter.fromPayload(summary)).toBe('Look again: it is not due yet');
  await followup.signal('cancelled');
  await followup.workflow.result();
});

test('a cancellation ends the wait, and its timer with it', async () => {
  const followup = await waiting((look) => (look === 1 ? again(hourMs, 'it is not due yet') : done));
  await followup.signal('cancelled');
  await followup.workflow.result();
  expect(followup.looks()).toBe(2);
  const { events } = await followup.workflow.fetchHistory();
  expect(events?.some((event) => event.timerFiredEventAttributes)).toBe(false);
});

test('a new plan moves the wait, and the details say so', async () => {
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

test('a wait outlives the worker, and is not cut short by it', async () => {
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

/** How long each timer was to run, in ms. Only of a life of few looks: a longer one is continued as new here. */
async function timersMs({ workflow }: StagedFollowup): Promise<number[]> {
  const { events } = await workflow.fetchHistory();
  return (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) => {
    const { seconds, nanos } = timer?.startToFireTimeout ?? {};
    return timer ? [Number(seconds ?? 0) * 1000 + (nanos ?? 0) / 1e6] : [];
  });
}
const passed = again(-1_000, 'another attempt is running');

test('a moment that has passed already is asked about ever more slowly', async () => {
  const followup = stage.followup((look) => (look < 5 ? passed : done));
  await followup.signal('scheduled');
  await followup.workflow.result();
  expect(followup.looks()).toBe(5);
  expect(await timersMs(followup)).toEqual([1, 2, 4, 8]);
});

test('and from the start again after any other wait', async () => {
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

test('a clock that is ahead of the one that decides leads to another look, until that one agrees', async () => {
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
