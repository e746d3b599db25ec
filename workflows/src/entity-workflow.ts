import type { NextStep } from '@mostrador/contracts';
import type { EntityWorkflowDefinition, EntityWorkflowInput } from '@mostrador/contracts/workflows';
import {
  condition,
  continueAsNew,
  defineSignal,
  setCurrentDetails,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { failureOfService } from './failure-of-service.ts';

/** The wait after a failure that no retry can fix. A signal ends it early. */
const stuckWaitMs = 60 * 60 * 1000;
const longestPauseMs = 1000;

/**
 * The loop of every entity workflow. `look` is one step: the service reads the row, does what is due, records it, and
 * answers when to run the next step. `more` is shown while the workflow waits.
 *
 * No wake-up is lost. The flag is cleared before the step reads the row, so a later signal leads to another step. The
 * server rejects the closing of a run that has an unhandled signal.
 */
export async function runEntityWorkflow<Input extends Partial<EntityWorkflowInput>>(
  workflow: EntityWorkflowDefinition,
  input: Input,
  look: (input: Input) => Promise<NextStep>,
  more: () => string = () => '',
): Promise<void> {
  let woken = false;
  const wake = () => {
    woken = true;
  };
  for (const signal of workflow.signals) {
    setHandler(defineSignal(signal), wake, { description: 'Run the next step now.' });
  }
  // A service may be deployed before the worker and send a signal whose name is new.
  setDefaultSignalHandler(wake);

  let pauseMs = 0;
  for (;;) {
    woken = false;
    setCurrentDetails('Looking at the row: a step is running.');
    const next = await lookOrExplain(input, look);
    if (next.done && !woken) return finish(next);
    if (!woken) pauseMs = await wait(next, pauseMs, () => woken, more());
    // Only when the next step is due. The new run begins with a step, so it needs no state.
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<(input: Input) => Promise<void>>(input);
  }
}

/**
 * Temporal retries an activity while a retry may help. A rejected request remains, which is a bug in the platform.
 * Failing the workflow would drop the row, and frequent retries would only fill the log. So the workflow stays open,
 * shows the code, and runs the next step on a signal or after 1 hour, in case a deploy has fixed the bug.
 */
async function lookOrExplain<Input>(input: Input, look: (input: Input) => Promise<NextStep>): Promise<NextStep> {
  try {
    return await look(input);
  } catch (failure) {
    const answer = failureOfService(failure);
    // Any other failure means that an operator cancelled the workflow.
    if (!answer) throw failure;
    const code = answer.type ?? 'unknown';
    return {
      done: false,
      wake_at: new Date(Date.now() + stuckWaitMs).toISOString(),
      reason: `the service rejected the step (${code}), which is a bug in the platform`,
    };
  }
}

/**
 * Waits until the next step is due. A due time that has passed comes from a database clock behind this one. Consecutive
 * waits for such a time double from 1 ms to 1 s: `pauseMs` is the result of the previous wait. Returns the length of
 * such a wait, and 0 for any other.
 */
async function wait(next: NextStep, pauseMs: number, woken: () => boolean, more: string): Promise<number> {
  const reason = next.reason ?? 'unknown';
  if (next.wake_at === null) {
    setCurrentDetails(`Waits for a signal, without a time limit.\n\nReason: ${reason}${more}`);
    await condition(woken);
    return 0;
  }
  setCurrentDetails(`Waits until ${next.wake_at} or a signal.\n\nReason: ${reason}${more}`);
  const leftMs = Date.parse(next.wake_at) - Date.now();
  // At least 1 ms, because `condition` treats 0 as a special case.
  const againMs = leftMs > 0 ? 0 : Math.min(Math.max(1, pauseMs * 2), longestPauseMs);
  await condition(woken, Math.max(leftMs, againMs), { summary: `Waits: ${reason}`.slice(0, 200) });
  return againMs;
}

function finish(next: NextStep): void {
  setCurrentDetails(next.reason === null ? 'Done.' : `Done: ${next.reason}`);
}
