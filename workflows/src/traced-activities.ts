import { type EntityWorkflowInput, traceHeader } from '@mostrador/contracts/workflows';
import { inSpan, type Tracing } from '@mostrador/kit/process/tracing';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';

/** Gives each attempt of a step a span: in the trace of what woke the workflow, or at the head of a sampled trace. */
export const tracedActivities =
  (tracing: Tracing): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      execute(input, next) {
        const name = `step ${info.activityType}`;
        const attributes = () => {
          const [row] = input.args as [Partial<EntityWorkflowInput> | undefined];
          return {
            ...{ 'mostrador.workflow': info.workflowType, 'mostrador.attempt': info.attempt },
            ...{ 'mostrador.store_id': row?.storeId, 'mostrador.entity_id': row?.entityId },
          };
        };
        const header = input.headers[traceHeader];
        const span = header
          ? tracing.follow('internal', name, { parent: defaultPayloadConverter.fromPayload(header), attributes })
          : tracing.begin('internal', name, { attributes });
        return inSpan(tracing, span, () => next(input));
      },
    },
  });
