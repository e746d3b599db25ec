import { type Operation, type ReplyOf, type RequestOf, roleFor } from '@mostrador/contracts/core';
import type { EventActor } from '@mostrador/contracts/feed';
import { headers, type Msg, type Subscription } from 'nats';
import type { Log } from '../process/log.ts';
import type { Metrics } from '../process/metrics.ts';
import type { Span, Tracing } from '../process/tracing.ts';
import { systemActor } from './actor.ts';
import type { Context, StoreContext } from './context.ts';
import { AppError, toWireError, validationFailed } from './errors.ts';
import { endOfTick } from './event-loop.ts';
import { isConnected, type NatsConnection, pingNats } from './nats.ts';
import { createRejectionLog, instrument } from './observe.ts';
import { checkRole } from './person.ts';
import { Later, Reply, serializeReply } from './reply.ts';
import { createRequestQueue, type RequestQueue, type RequestQueueLimits } from './request-queue.ts';
import { type UncheckedRequest, validateRequest } from './validate.ts';
import { audienceOf, type RequestEnvelope, readEnvelope, wireHeaders } from './wire.ts';

export { Later, later, Reply, replay, reply, replyBytes, serializeReply } from './reply.ts';

/** Carries out an operation. The caller sees a thrown `AppError`; any other error becomes `internal_error`. */
export type Handler<O extends Operation> = (
  context: O['tenancy'] extends 'none' ? Context : StoreContext,
  request: RequestOf<O>,
) => Promise<ReplyOf<O> | Reply<ReplyOf<O>> | Later<ReplyOf<O>>>;

/** A handler for every operation: a missing one is a type error. */
export type Handlers<Ops extends Record<string, Operation>> = { readonly [Name in keyof Ops]: Handler<Ops[Name]> };

export type QueueName = 'api' | 'webhook' | 'platform' | 'sign-in' | 'step' | 'pump' | 'internal' | 'admin';

export type RpcServerOptions<Ops extends Record<string, Operation>> = {
  readonly nats: NatsConnection;
  /** The queue group: one of the service's processes gets a request. */
  readonly service: string;
  readonly operations: Ops;
  readonly handlers: Handlers<Ops>;
  readonly log: Log;
  readonly metrics?: Metrics;
  readonly tracing?: Tracing | undefined;
  readonly queues?: Partial<Record<QueueName, RequestQueueLimits>>;
  /** False: takes no requests until `join`. Default true. */
  readonly joined?: boolean;
};

/** Serves operations until drained. */
export type RpcServer = {
  /** Joins the queue group: takes its share of the requests. Resolves when NATS knows. */
  join(): Promise<void>;
  /** Leaves the queue group: NATS gives the requests to other processes. Answers those that it has. */
  leave(): Promise<void>;
  /** Leaves for good. Resolves when all accepted requests are answered, including those answered later. */
  drain(): Promise<void>;
};

/** Each kind of caller has its own limits, so that none starves another. One store gets half of the API's slots. */
const defaultQueues: Record<QueueName, RequestQueueLimits> = {
  api: { concurrency: 64, queue: 256, perStore: 32 },
  webhook: { concurrency: 64, queue: 256 },
  platform: { concurrency: 32, queue: 128 },
  // It shares the database with the checks of sessions, so few run at once.
  'sign-in': { concurrency: 4, queue: 64 },
  step: { concurrency: 32, queue: 64 },
  // Such a request stays open for seconds. A process may have to answer those of all shards.
  pump: { concurrency: 64, queue: 64 },
  internal: { concurrency: 64, queue: 256 },
  admin: { concurrency: 8, queue: 32 },
};

/** No valid request takes longer. The limit also keeps timers within Node's range. */
const greatestDeadlineMs = 10 * 60_000;

/** The prefix of reply subjects; with NATS permissions `_INBOX_<user>.`. */
const inboxes = '_INBOX';

const storeIdForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Serves the operations: one subscription each, in the service's queue group. A request waits in its request queue and
 * runs only while its caller waits for it. The server checks the deadline on arrival and before the request runs. It
 * answers `service_unavailable` to a late request, whose caller still waits if the clocks differ, and when the queue is
 * full: nothing was done. A store that fills the queue is within its quota, so that answer is 503 and not 429.
 */
export function createRpcServer<const Ops extends Record<string, Operation>>(
  options: RpcServerOptions<Ops>,
): RpcServer {
  const { nats, service, operations, handlers, log, tracing } = options;
  const limits = { ...defaultQueues, ...options.queues };
  const queues = new Map<string, RequestQueue>();
  for (const name of Object.keys(limits) as QueueName[]) queues.set(name, createRequestQueue(limits[name]));
  const reject = createRejectionLog(log);
  const observe = options.metrics === undefined ? undefined : instrument(options.metrics, queues, limits);
  const closing = new AbortController();
  const unanswered = new Set<Promise<void>>();
  let subscriptions: Subscription[] = [];

  const served = Object.entries(operations).map(([name, operation]) => {
    const queue = queues.get(operation.queue ?? audienceOf(operation));
    if (queue === undefined) throw new Error(`the subject ${operation.subject} names no queue`);
    return { operation, queue, handle: handlers[name] as unknown as AnyHandler };
  });
  if (options.joined ?? true) subscribe();

  function subscribe(): void {
    subscriptions = served.map(({ operation, queue, handle }) =>
      nats.subscribe(operation.subject, {
        queue: service,
        callback: (error, message) => {
          if (error) log.error({ err: error, subject: operation.subject }, 'a subscription failed');
          else take(message, operation, handle, queue);
        },
      }),
    );
  }

  async function unsubscribe(): Promise<void> {
    const left = subscriptions;
    subscriptions = [];
    // Requests that NATS has already sent here still arrive while a subscription drains.
    const drained = Promise.allSettled(left.map((subscription) => subscription.drain()));
    await Promise.race([drained, nats.closed(), after(2_000)]);
    for (const subscription of left) subscription.unsubscribe();
  }

  function take(message: Msg, operation: Operation, handle: AnyHandler, queue: RequestQueue): void {
    // The caller names the reply subject and our permissions apply to it. So only an inbox is accepted.
    if (message.reply && !message.reply.startsWith(inboxes)) {
      reject('no inbox');
      return;
    }
    const startedMs = performance.now();
    const { subject } = operation;
    let span: Span | undefined;
    const finish = (outcome: string) => {
      observe?.(subject, outcome, (performance.now() - startedMs) / 1000);
      span?.end(outcome === 'ok' ? undefined : outcome);
    };
    let envelope: RequestEnvelope;
    try {
      envelope = readEnvelope(message.headers);
      checkEnvelope(envelope, operation);
    } catch (error) {
      log.warn({ err: error, subject }, 'a request had an invalid envelope');
      finish(answerError(message, error, () => log));
      return;
    }
    if (tracing) {
      span = spanOf(tracing, subject, envelope);
      if (span) envelope = { ...envelope, traceparent: span.traceparent };
    }
    const isLate = () => envelope.deadline <= Date.now();
    const requestLog = lazily(() =>
      log.child({
        request_id: envelope.requestId,
        subject,
        ...(envelope.storeId === undefined ? {} : { store_id: envelope.storeId }),
      }),
    );
    const refuse = (reason: 'late' | 'queue full') => {
      reject(reason);
      const code = answerError(message, new AppError('service_unavailable', { retryAfterSeconds: 1 }), requestLog);
      finish(reason === 'late' ? reason : code);
    };
    if (isLate()) {
      refuse('late');
      return;
    }
    const run = async () => {
      if (isLate()) return refuse('late');
      const answered = (outcome: string) => {
        finish(outcome);
        if (!log.isLevelEnabled('debug')) return;
        requestLog().debug({ outcome, duration_ms: Math.round(performance.now() - startedMs) }, 'request');
      };
      const call = { message, operation, envelope, log: requestLog, closing: closing.signal, answered };
      span?.set({ 'mostrador.queued_ms': Math.round(performance.now() - startedMs) });
      const rest = await (tracing ? tracing.within(span, () => execute(call, handle)) : execute(call, handle));
      if (rest === undefined) return;
      const answering = (tracing ? tracing.within(span, rest) : rest()).finally(() => unanswered.delete(answering));
      unanswered.add(answering);
    };
    queue.offer(envelope.storeId ?? '', { run, refuse: () => refuse('queue full') });
  }

  return {
    async join() {
      if (closing.signal.aborted || subscriptions.length > 0) return;
      subscribe();
      await pingNats(nats);
    },
    async leave() {
      // Without a connection the process gets no requests, and NATS would not learn that it left.
      if (isConnected(nats)) await unsubscribe();
    },
    async drain() {
      closing.abort();
      await unsubscribe();
      await Promise.all([...queues.values()].map((queue) => queue.idle()));
      await Promise.all(unanswered);
      if (!nats.isClosed()) await Promise.race([nats.flush().catch(() => {}), after(2_000)]);
    },
  };
}

/** The span of a request, from its arrival to its answer. Only the caller decides whether there is one. */
const spanOf = (tracing: Tracing, subject: string, { traceparent = null, storeId, requestId }: RequestEnvelope) =>
  tracing.follow('server', subject, {
    parent: traceparent,
    attributes: () => ({
      ...{ 'rpc.system': 'nats', 'rpc.method': subject },
      ...{ 'mostrador.store_id': storeId, 'mostrador.request_id': requestId },
    }),
  });

type AnyHandler = (context: Context, request: UncheckedRequest) => Promise<unknown>;

type Call = {
  readonly message: Msg;
  readonly operation: Operation;
  readonly envelope: RequestEnvelope;
  readonly log: () => Log;
  /** Aborted when the server drains. */
  readonly closing: AbortSignal;
  /** Gets `ok`, or the code of the error that was answered. */
  answered(outcome: string): void;
};

/** Runs the handler and answers. Never throws. Returns the remaining work when the answer comes later. */
async function execute(call: Call, handle: AnyHandler): Promise<(() => Promise<void>) | undefined> {
  const { message, operation, envelope, log, closing, answered } = call;
  // Most handlers need neither: the database and the RPC client keep the deadline themselves.
  let timer: NodeJS.Timeout | undefined;
  const signal = lazily(() => {
    const abort = new AbortController();
    timer = setTimeout(() => abort.abort(new AppError('upstream_timeout')), envelope.deadline - Date.now());
    return abort.signal;
  });

  const respond = async (work: () => Promise<unknown>): Promise<Later<unknown> | undefined> => {
    try {
      const result = await work();
      if (result instanceof Later) return result;
      await endOfTick(); // replies of one tick leave in one write
      answer(message, operation, result);
      answered('ok');
    } catch (error) {
      if (!(error instanceof AppError)) log().error({ err: error }, 'a handler failed');
      else if (error.status >= 500) log().warn({ err: error }, 'a request failed');
      answered(answerError(message, error, log));
    }
    clearTimeout(timer);
    return undefined;
  };

  const context = {
    ...envelope,
    actor: actorOf(envelope, operation),
    closing,
    neededRole: operation.access && roleFor(operation.access),
    get signal() {
      return signal();
    },
    get log() {
      return log();
    },
  };
  const awaited = await respond(async () => {
    checkRole(operation, context);
    return handle(context, readRequest(message, operation));
  });
  if (awaited === undefined) return undefined;
  return async () => {
    await respond(() => Promise.race([awaited.finish(), rejectionOf(signal())]));
  };
}

/** A gateway of the previous version says only which person asks. What is no request of the API comes from the system. */
function actorOf({ actor, person }: RequestEnvelope, operation: Operation): EventActor | null {
  if (actor) return actor;
  if (person) return { kind: 'user', id: person.userId };
  return audienceOf(operation) === 'api' ? null : systemActor;
}

const rejectionOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });

function readRequest(message: Msg, operation: Operation): UncheckedRequest {
  const parsed = message.data.length === 0 ? {} : parseJson(message);
  const { params, query, body } = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as UncheckedRequest;
  const request: UncheckedRequest = { params, query, body };
  const errors = validateRequest(operation, request);
  if (errors.length > 0) throw validationFailed(errors);
  return request;
}

function parseJson(message: Msg): unknown {
  try {
    return message.json();
  } catch (cause) {
    throw new AppError('malformed_json', { cause });
  }
}

function checkEnvelope(envelope: RequestEnvelope, operation: Operation): void {
  const errors: { in: 'header'; name: string; detail: string }[] = [];
  if (!(envelope.deadline <= Date.now() + greatestDeadlineMs)) {
    errors.push({ in: 'header', name: wireHeaders.deadline, detail: 'must be a moment within the next ten minutes' });
  }
  if (operation.tenancy === 'store' && !storeIdForm.test(envelope.storeId ?? '')) {
    errors.push({ in: 'header', name: wireHeaders.store, detail: 'must be the id of a store' });
  }
  if (errors.length > 0) throw validationFailed(errors);
}

function answer(message: Msg, operation: Operation, result: unknown): void {
  if (!(result instanceof Reply)) {
    message.respond(serializeReply(operation, result));
    return;
  }
  const written = headers();
  if (result.headers.etag !== undefined) written.set(wireHeaders.etag, result.headers.etag);
  if (result.headers.nextCursor !== undefined) written.set(wireHeaders.nextCursor, result.headers.nextCursor);
  if (result.replayed) written.set(wireHeaders.replayed, 'true');
  message.respond(result.bytes ?? serializeReply(operation, result.body), { headers: written });
}

/** Answers the error and returns its code. If that fails too, the caller runs into its deadline. */
function answerError(message: Msg, error: unknown, log: () => Log): string {
  const wire = toWireError(error);
  const written = headers();
  written.set(wireHeaders.error, wire.code);
  try {
    message.respond(JSON.stringify(wire), { headers: written });
  } catch (failure) {
    log().error({ err: failure }, 'an error answer could not be sent');
  }
  return wire.code;
}

/** Creates the value on first use, because most requests log nothing and creating a log is expensive. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());
