import type { NextStep } from '@mostrador/contracts';
import type { EntityWorkflowDefinition, EntityWorkflowInput } from '@mostrador/contracts/workflows';
import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  continueAsNew,
  defineSignal,
  setCurrentDetails,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';

/** How long a workflow waits on its own after a failure that no retry can mend. */
const stuckWaitMs = 60 * 60 * 1000;
const longestPauseMs = 1000;

/**
 * The whole of every workflow: carries one row through time. `look` is one activity; the service behind it reads the
 * row, does what is due, records it, and says when to look again.
 *
 * No wake-up can be lost. The flag is cleared before the activity reads the row, so a signal that comes later than
 * that leads to another look; one that comes while this run is closing makes the server refuse the closing.
 */
export async function runEntityWorkflow(
  workflow: EntityWorkflowDefinition,
  input: EntityWorkflowInput,
  look: (input: EntityWorkflowInput) => Promise<NextStep>,
): Promise<void> {
  let woken = false;
  const wake = () => {
    woken = true;
  };
  for (const signal of workflow.signals) {
    setHandler(defineSignal(signal), wake, { description: 'Look at the row now.' });
  }
  // A service may be deployed before the worker and send a signal whose name is new.
  setDefaultSignalHandler(wake);

  let pauseMs = 0;
  for (;;) {
    woken = false;
    setCurrentDetails('Looking at the row.');
    const next = await lookOrExplain(input, look);
    if (next.done && !woken) return finish(next);
    if (!woken) pauseMs = await wait(next, pauseMs, () => woken);
    // At the moment of the next look, not before: the new run begins by looking, so it needs to be told nothing.
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<(input: EntityWorkflowInput) => Promise<void>>(input);
  }
}

/**
 * Temporal tries an activity again for as long as another try may help. What is left is a refusal of the request
 * itself, which is our fault: failing the workflow would drop the row, trying every few seconds would only make
 * noise. So the workflow stays open and says so, and looks again on a signal or once an hour, in case a deploy
 * mended it.
 */
async function lookOrExplain(
  input: EntityWorkflowInput,
  look: (input: EntityWorkflowInput) => Promise<NextStep>,
): Promise<NextStep> {
  try {
    return await look(input);
  } catch (failure) {
    // Anything else is an operator who cancels the workflow.
    if (!(failure instanceof ActivityFailure && failure.cause instanceof ApplicationFailure)) throw failure;
    const code = failure.cause.type ?? 'unknown';
    return {
      done: false,
      wake_at: new Date(Date.now() + stuckWaitMs).toISOString(),
      reason: `the step was refused (${code}), which is a fault of the platform`,
    };
  }
}

/**
 * Waits until the next look is due; `pauseMs` is what the wait before returned. A moment that has passed already is
 * that of a clock behind this one (the row's moments are the database's), so each such wait is twice as long as the
 * one before: 1 ms at first, a second at most. Returns how long such a wait was, 0 for any other.
 */
async function wait(next: NextStep, pauseMs: number, woken: () => boolean): Promise<number> {
  const reason = next.reason ?? 'not said';
  if (next.wake_at === null) {
    setCurrentDetails(`Waits for a signal, without a limit.\n\nReason: ${reason}`);
    await condition(woken);
    return 0;
  }
  setCurrentDetails(`Waits until ${next.wake_at}, or for a signal.\n\nReason: ${reason}`);
  const leftMs = Date.parse(next.wake_at) - Date.now();
  // Never 0, which `condition` takes for a special case of its own.
  const againMs = leftMs > 0 ? 0 : Math.min(Math.max(1, pauseMs * 2), longestPauseMs);
  await condition(woken, Math.max(leftMs, againMs), { summary: `Look again: ${reason}`.slice(0, 200) });
  return againMs;
}

function finish(next: NextStep): void {
  setCurrentDetails(next.reason === null ? 'Done.' : `Done: ${next.reason}`);
}
