import { traceHeader } from '@mostrador/contracts/workflows';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { interceptors } from './trace-context.ts';

const headersOf = (trace: string | undefined) =>
  trace === undefined ? {} : { [traceHeader]: defaultPayloadConverter.toPayload(trace) };

/** A workflow that was started in a trace. `step` answers the trace of the step that it runs next. */
async function start(trace: string | undefined) {
  const made = interceptors();
  const [inbound, outbound] = [made.inbound?.[0], made.outbound?.[0]];
  const seen: (string | undefined)[] = [];
  const next = async ({ headers }: { headers: ReturnType<typeof headersOf> }) => {
    const header = headers[traceHeader];
    seen.push(header && defaultPayloadConverter.fromPayload<string>(header));
  };
  await inbound?.execute?.({ args: [], headers: headersOf(trace) } as never, async () => {});
  return {
    signal: (of: string | undefined) => inbound?.handleSignal?.({ headers: headersOf(of) } as never, async () => {}),
    wait: (durationMs: number) => outbound?.startTimer?.({ durationMs } as never, async () => {}),
    async step(call: 'scheduleActivity' | 'scheduleLocalActivity' | 'continueAsNew') {
      await outbound?.[call]?.({ headers: {} } as never, next as never);
      return seen.pop();
    },
  };
}

test.each(['scheduleActivity', 'scheduleLocalActivity', 'continueAsNew'] as const)(
  '%s goes on with the trace of what woke the workflow last',
  async (call) => {
    const workflow = await start('created');
    expect(await workflow.step(call)).toBe('created');
    await workflow.signal('changed');
    expect(await workflow.step(call)).toBe('changed');
    // What is in no recorded trace does not end one.
    await workflow.signal(undefined);
    await workflow.wait(60_000);
    expect(await workflow.step(call)).toBe('changed');
    // A trace does not go on for days.
    await workflow.wait(60_001);
    expect(await workflow.step(call)).toBeUndefined();
    await workflow.signal('retried');
    expect(await workflow.step(call)).toBe('retried');
  },
);

test('a workflow that nothing traced gives its steps no header', async () => {
  const workflow = await start(undefined);
  expect(await workflow.step('scheduleActivity')).toBeUndefined();
});

test('a start does not replace the trace of a signal that came before it', async () => {
  const made = interceptors();
  await made.inbound?.[0]?.handleSignal?.({ headers: headersOf('signal') } as never, async () => {});
  await made.inbound?.[0]?.execute?.({ headers: headersOf('start') } as never, async () => {});
  let seen: string | undefined;
  await made.outbound?.[0]?.scheduleActivity?.({ headers: {} } as never, async ({ headers }) => {
    seen = headers[traceHeader] && defaultPayloadConverter.fromPayload<string>(headers[traceHeader]);
  });
  expect(seen).toBe('signal');
});
