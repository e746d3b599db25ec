import { setTimeout as pause } from 'node:timers/promises';
import { setLogger } from '@grpc/grpc-js';
import {
  type EntityWorkflowDefinition,
  type EntityWorkflowInput,
  type EntityWorkflowName,
  entityWorkflows,
  searchAttributes,
  traceHeader,
} from '@mostrador/contracts/workflows';
import { Client, Connection, isGrpcServiceError, type WorkflowClientInterceptor } from '@temporalio/client';
import {
  defaultPayloadConverter,
  defineSearchAttributeKey,
  type SearchAttributePair,
  TypedSearchAttributes,
} from '@temporalio/common';
import type { Log } from '../process/log.ts';
import type { Tracing } from '../process/tracing.ts';
import { AppError } from '../rpc/errors.ts';
import type { TemporalAddress } from './temporal-address.ts';
import { type TemporalChecks, temporalChecks } from './temporal-namespace.ts';
import { describeTaskQueue, type TaskQueueState } from './temporal-task-queue.ts';

export type TemporalStarter = {
  /**
   * Signals a row's entity workflow, and starts it when it does not run. Every signal means *run the step again*.
   *
   * @param deadlineMs how long the call may take; default 5,000
   * @throws AppError `service_unavailable` when Temporal was not reached, `upstream_timeout` when it did not answer in
   * time; any other error is a rejection that a retry would get again
   */
  signalWithStart(
    workflow: EntityWorkflowName,
    input: EntityWorkflowInput & { readonly leadId?: string | null },
    signal: string,
    deadlineMs?: number,
  ): Promise<void>;
};

export type Temporal = TemporalStarter &
  TemporalChecks & {
    /** Who polls a task queue of the namespace, and what waits in it. */
    describeTaskQueue(name: string): Promise<TaskQueueState[]>;
    close(): Promise<void>;
  };

const callLimitMs = 5000;

// gRPC status codes (https://grpc.io/docs/guides/status-codes/).
const deadlineExceeded = 4;
/**
 * Temporal does not accept this request. Every other code means a fault of the server, of the network or of our
 * configuration (no such namespace, no permission), which is the same for every request: retry.
 */
const refusals = new Set([
  3, // INVALID_ARGUMENT
  9, // FAILED_PRECONDITION
]);

const keys = {
  storeId: defineSearchAttributeKey(searchAttributes.storeId, 'KEYWORD'),
  leadId: defineSearchAttributeKey(searchAttributes.leadId, 'KEYWORD'),
  entityId: defineSearchAttributeKey(searchAttributes.entityId, 'KEYWORD'),
};

/**
 * The client side of Temporal. It connects with the first call, and retries the connection to a server that is down at
 * most every 5 s. Each call is one attempt, because the caller retries. `identity` appears in workflow histories.
 */
export function connectTemporal(
  options: TemporalAddress & { namespace: string; identity?: string; log: Log; tracing?: Tracing | undefined },
): Temporal {
  const { address, tls, apiKey, namespace, identity, log, tracing } = options;
  setLogger(grpcLogger(log));
  const connection = Connection.lazy({
    address,
    tls,
    apiKey,
    interceptors: [], // the default retries each call for a minute
    channelArgs: {
      'grpc.initial_reconnect_backoff_ms': 200,
      'grpc.max_reconnect_backoff_ms': 5000,
      // These detect a dead connection within 20 s. Temporal rejects pings that come less than 10 s apart, and 10 s
      // between sent pings can be less between received ones.
      'grpc.keepalive_time_ms': 15_000,
      'grpc.keepalive_timeout_ms': 5000,
    },
  });
  const client = new Client({
    ...{ connection, namespace, identity },
    ...(tracing && { interceptors: { workflow: [withTrace(tracing)] } }),
  });

  return {
    async signalWithStart(workflow, { storeId, entityId, leadId }, signal, deadlineMs = callLimitMs) {
      const { name, taskQueue, workflowId, spansStores }: EntityWorkflowDefinition = entityWorkflows[workflow];
      const input: Partial<EntityWorkflowInput> = spansStores ? { entityId } : { storeId, entityId };
      const deadline = Date.now() + deadlineMs;
      const call = () =>
        connection.withDeadline(deadline, () =>
          client.workflow.signalWithStart(name, {
            workflowId: workflowId(entityId),
            taskQueue,
            args: [input],
            signal,
            workflowIdReusePolicy: 'ALLOW_DUPLICATE',
            typedSearchAttributes: attributes({ ...input, leadId }),
            staticSummary: `${name} ${entityId}`,
          }),
        );
      await translated(() => pastBusyMoments(call, deadline));
    },
    ...temporalChecks({
      ...{ address: options, namespace, current: () => connection },
      // Temporal refuses it for want of a workflow id.
      attempt: ({ workflowService }) => workflowService.signalWithStartWorkflowExecution({ namespace }),
    }),
    describeTaskQueue: (name) => describeTaskQueue(connection, namespace, name),
    close: () => connection.close(),
  };
}

/** Gives the workflow the current trace, which its steps go on with. */
const withTrace = (tracing: Tracing): WorkflowClientInterceptor => ({
  signalWithStart(input, next) {
    const span = tracing.current();
    if (!span) return next(input);
    const headers = { ...input.headers, [traceHeader]: defaultPayloadConverter.toPayload(span.traceparent) };
    return next({ ...input, headers });
  },
});

/** The transport's log, which is otherwise plain text on standard error. The transport has one logger for the process. */
const grpcLogger = (log: Log): Parameters<typeof setLogger>[0] => ({
  error: (text: string) => log.warn({ module: 'grpc' }, text),
  info: (text: string) => log.info({ module: 'grpc' }, text),
  debug: (text: string) => log.debug({ module: 'grpc' }, text),
});

function attributes(ids: Partial<EntityWorkflowInput> & { leadId?: string | null | undefined }): TypedSearchAttributes {
  const pairs: SearchAttributePair[] = [];
  if (ids.storeId) pairs.push({ key: keys.storeId, value: ids.storeId });
  if (ids.entityId) pairs.push({ key: keys.entityId, value: ids.entityId });
  if (ids.leadId) pairs.push({ key: keys.leadId, value: ids.leadId });
  return new TypedSearchAttributes(pairs);
}

/**
 * A workflow that is closing, or that others are signalling, rejects calls for a moment with RESOURCE_EXHAUSTED. The
 * server is up, so this function retries until the deadline.
 */
async function pastBusyMoments(call: () => Promise<unknown>, deadline: number): Promise<void> {
  for (let pauseMs = 20; ; pauseMs *= 2) {
    try {
      await call();
      return;
    } catch (error) {
      const cause = (error as { cause?: unknown }).cause ?? error;
      const busy = isGrpcServiceError(cause) && /workflow is (busy|closing)/i.test(cause.details);
      if (!busy || Date.now() + pauseMs >= deadline) throw error;
      await pause(pauseMs * (0.5 + Math.random() * 0.5));
    }
  }
}

async function translated(call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    const cause = (error as { cause?: unknown }).cause ?? error;
    if (!isGrpcServiceError(cause)) throw error;
    if (cause.code === deadlineExceeded) throw new AppError('upstream_timeout', { cause: error });
    if (refusals.has(cause.code)) throw error;
    throw new AppError('service_unavailable', { retryAfterSeconds: 1, cause: error });
  }
}
