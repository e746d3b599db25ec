import { traceHeader } from '@mostrador/contracts/workflows';
import type { Headers, WorkflowInterceptors } from '@temporalio/workflow';

/** A step that comes after a longer wait begins a trace of its own. */
const longestWaitMs = 60_000;

/**
 * Hands the trace of what woke the workflow to its steps: as headers, which a replay does not compare. The workflow
 * itself has no span, because its code runs again with each replay.
 */
export const interceptors = (): WorkflowInterceptors => {
  let cause: Headers[string] | undefined;
  const inTrace = <Input extends { readonly headers: Headers }>(input: Input): Input =>
    cause === undefined ? input : { ...input, headers: { ...input.headers, [traceHeader]: cause } };
  return {
    inbound: [
      {
        execute(input, next) {
          cause ??= input.headers[traceHeader];
          return next(input);
        },
        handleSignal(input, next) {
          cause = input.headers[traceHeader] ?? cause;
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(inTrace(input)),
        scheduleLocalActivity: (input, next) => next(inTrace(input)),
        continueAsNew: (input, next) => next(inTrace(input)),
        startTimer(input, next) {
          if (input.durationMs > longestWaitMs) cause = undefined;
          return next(input);
        },
      },
    ],
  };
};
