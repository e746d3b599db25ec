import { inSpan, type Tracing } from '@mostrador/kit/process/tracing';
import type { CallRow } from './step.ts';

/** Makes a tool call in a span, after OpenTelemetry's conventions for generative AI. It has no input and no output. */
export const inToolSpan = <T>(
  tracing: Tracing | undefined,
  { tool }: Pick<CallRow, 'tool'>,
  work: () => Promise<T>,
): Promise<T> =>
  tracing
    ? inSpan(
        tracing,
        tracing.follow('internal', `execute_tool ${tool}`, {
          attributes: () => ({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool }),
        }),
        work,
      )
    : work();
