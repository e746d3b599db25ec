import { join } from 'node:path';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { currentDetails } from '../../test/current-details.ts';
import { again, done, startWorkflowStage, untilSignal, type WorkflowStage } from '../../test/stage.ts';
import { makeWorkflowBundle, type WorkflowBundle } from '../bundle.ts';
import { recordings, replayRecordings } from './recordings.ts';

// Deploys the next version, `fixtures/patched.workflow.ts`, while workflows wait. It has a timer before each step.

const hourMs = 60 * 60 * 1000;
let stage: WorkflowStage;
let next: WorkflowBundle;

beforeAll(async () => {
  stage = await startWorkflowStage();
  next = await makeWorkflowBundle(join(import.meta.dirname, 'fixtures/patched.workflow.ts'));
});
afterAll(() => stage?.stop());

describe('the next version replays histories of the current one, and of earlier ones', () => {
  let replayed: Awaited<ReturnType<typeof replayRecordings>>;
  beforeAll(async () => {
    replayed = await replayRecordings(next);
  });

  test.each(recordings)('%s', (file) => {
    expect([replayed.has(file), replayed.get(file)]).toEqual([true, undefined]);
  });
});

test('a waiting workflow continues under the next version without repeating its steps', async () => {
  const waiting = stage.appointment((look) => (look === 1 ? again(hourMs, 'calendar_unavailable') : done));
  const forPerson = stage.appointment((look) => (look === 1 ? untilSignal('credentials_refused') : done));
  for (const appointment of [waiting, forPerson]) {
    await appointment.signal('created');
    await waitFor(async () => (await currentDetails(appointment.workflow)).startsWith('Waits'), {
      description: 'the workflow to wait',
    });
  }
  await stage.replaceWorker(next);
  const fresh = stage.appointment(() => done);
  await fresh.signal('created');
  await waiting.signal('changed');
  await forPerson.signal('calendar_connected');
  for (const [appointment, looks] of [
    [waiting, 2],
    [forPerson, 2],
    [fresh, 1],
  ] as const) {
    await appointment.workflow.result();
    expect(appointment.looks()).toBe(looks);
    const { events } = await appointment.workflow.fetchHistory();
    // The marker shows that the new code has run, also in workflows that the old code started.
    expect(events?.some((event) => event.markerRecordedEventAttributes?.markerName === 'core_patch')).toBe(true);
  }
});

test('the next version sends a waiting follow-up once and ends one that is cancelled', async () => {
  const due = stage.followup((look) => (look === 1 ? again(3_000, 'it is not due yet') : done));
  const cancelled = stage.followup((look) => (look === 1 ? again(hourMs, 'it is not due yet') : done));
  for (const followup of [due, cancelled]) {
    await followup.signal('scheduled');
    // On a slow machine the one that is due soon may have ended.
    const hasLooked = async () =>
      followup.looks() === 2 || (await currentDetails(followup.workflow)).startsWith('Waits');
    await waitFor(hasLooked, { description: 'the workflow to wait' });
  }
  await stage.replaceWorker(next);
  await cancelled.signal('cancelled');
  for (const followup of [due, cancelled]) {
    await followup.workflow.result();
    expect(followup.looks()).toBe(2);
  }
});
