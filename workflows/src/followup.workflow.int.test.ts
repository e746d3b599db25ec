import { waitFor } from '@mostrador/kit/testing/wait';
import { defaultPayloadConverter } from '@temporalio/common';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  again,
  type CarrierStage,
  done,
  type Script,
  type StagedFollowup,
  startCarrierStage,
} from './testing/carrier-stage.ts';
import { currentDetails } from './testing/current-details.ts';

// What every carrier promises is held by `appointment.workflow.int.test.ts`; here is what follow-ups need of it.

const hourMs = 60 * 60 * 1000;

let stage: CarrierStage;
beforeAll(async () => {
  stage = await startCarrierStage();
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

test('a clock that is ahead of the one that decides leads to another look, for the time that is left', async () => {
  // The deciding clock is 800 ms behind Temporal's: its answers name times that are past for Temporal, until it agrees.
  const behindMs = 800;
  const dueAt = Date.now() + 400;
  const decidingClock = () => Date.now() - behindMs;
  let sentAt = 0;
  const followup = stage.followup(() => {
    if (decidingClock() >= dueAt) {
      sentAt = decidingClock();
      return done;
    }
    // As the service answers it: what is left by its own clock, from now on.
    return again(Math.max(50, (dueAt - decidingClock()) / 2), 'it is not due yet');
  });
  await followup.signal('scheduled');
  await followup.workflow.result();
  expect(sentAt).toBeGreaterThanOrEqual(dueAt);
  expect(followup.looks()).toBeGreaterThan(2);
});
