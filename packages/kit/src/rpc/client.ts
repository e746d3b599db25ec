import type { Operation, ReplyOf, RequestOf, WireError } from '@mostrador/contracts/core';
import { type Msg, NatsError, ErrorCode as NatsErrorCode } from 'nats';
import type { Log } from '../process/log.ts';
import { inSpan, type Tracing } from '../process/tracing.ts';
import { AppError, fromWireError } from './errors.ts';
import { endOfTick } from './event-loop.ts';
import { isConnected, type NatsConnection } from './nats.ts';
import { audienceOf, header, type ReplyHeaders, type RequestEnvelope, wireHeaders, writeEnvelope } from './wire.ts';

/** What a caller sends with a request. A handler's `Context` is one. */
export type CallContext = RequestEnvelope & {
  /** Ends the wait when aborted. The service may still carry out the request. */
  readonly signal?: AbortSignal;
};

/** The reply's bytes, as the service wrote them. */
export type ForwardedReply = {
  readonly body: Uint8Array;
  readonly headers: ReplyHeaders & { readonly replayed: boolean };
};

/**
 * Calls operations over NATS. One call is one attempt: it arrives at most once, and is never sent while disconnected.
 * Both methods throw `AppError`: the error of the service, `service_unavailable` when no service received the request
 * (nothing was done), `upstream_timeout` when no answer came by the deadline (the outcome is unknown).
 *
 * `Idempotency-Key` and the preconditions belong to the public request, so they travel only to `.api.` operations. A
 * handler can pass on its own context without passing on its key. A person's session travels only to `.platform.`
 * operations, for the same reason, and the person and the actor's name only to those and to `.api.` operations. The actor
 * travels to all.
 */
export type RpcClient = {
  /** Calls and parses the reply. */
  call<O extends Operation>(operation: O, request: RequestOf<O>, context: CallContext): Promise<ReplyOf<O>>;
  /** Calls and returns the reply's bytes unparsed, for the gateway. */
  forward<O extends Operation>(operation: O, request: RequestOf<O>, context: CallContext): Promise<ForwardedReply>;
};

type Send = (
  operation: Operation,
  request: unknown,
  context: CallContext,
  traceparent?: CallContext['traceparent'],
) => Promise<Msg>;

/** Creates a client on this connection. */
export function createRpcClient(options: { nats: NatsConnection; log: Log; tracing?: Tracing | undefined }): RpcClient {
  const { nats, log, tracing } = options;
  const sendUntraced: Send = async (operation, request, context, traceparent = context.traceparent) => {
    const message = await exchange(nats, operation, request, context, traceparent);
    if (header(message.headers, wireHeaders.error) === undefined) return message;
    const error = fromWireError(parsed<WireError>(message));
    // Services build internal requests themselves, so an invalid one is our fault and not the caller's.
    if (error.code === 'validation_failed' && audienceOf(operation) === 'internal') {
      log.error({ subject: operation.subject, faults: error.members }, 'an internal request was invalid');
      throw new AppError('internal_error', { cause: error });
    }
    throw error;
  };
  const send = tracing ? traced(sendUntraced, tracing) : sendUntraced;

  return {
    async call<O extends Operation>(operation: O, request: RequestOf<O>, context: CallContext) {
      const message = await send(operation, request, context);
      return parsed<ReplyOf<O>>(message);
    },
    async forward(operation, request, context) {
      const message = await send(operation, request, context);
      return {
        body: message.data,
        headers: {
          etag: header(message.headers, wireHeaders.etag),
          nextCursor: header(message.headers, wireHeaders.nextCursor),
          replayed: header(message.headers, wireHeaders.replayed) === 'true',
        },
      };
    },
  };
}

/** The span of a request: from here to its answer. Its context travels with the request. */
const traced =
  (send: Send, tracing: Tracing): Send =>
  (operation, request, context) => {
    const { subject } = operation;
    const span = tracing.follow('client', subject, {
      parent: context.traceparent,
      attributes: () => ({ 'rpc.system': 'nats', 'rpc.method': subject, 'mostrador.store_id': context.storeId }),
    });
    return inSpan(tracing, span, () => send(operation, request, context, span?.traceparent));
  };

async function exchange(
  nats: NatsConnection,
  operation: Operation,
  request: unknown,
  context: CallContext,
  traceparent: CallContext['traceparent'],
) {
  const payload = JSON.stringify(request);
  await endOfTick(); // requests of one tick leave in one write
  const remainingMs = context.deadline - Date.now();
  if (remainingMs < 1 || context.signal?.aborted) throw new AppError('upstream_timeout');
  if (!isConnected(nats)) throw unavailable(new Error('there is no connection to NATS'));
  const headers = writeEnvelope(envelopeFor(audienceOf(operation), context, traceparent));
  // Node's timers fire up to 1 ms early. After this timeout no service accepts the request any more.
  const options = { timeout: remainingMs + 1, headers };
  try {
    const answer = nats.request(operation.subject, payload, options);
    return await (context.signal === undefined ? answer : untilAborted(answer, context.signal));
  } catch (error) {
    throw failureOf(error, operation.subject);
  }
}

function envelopeFor(audience: string, context: CallContext, traceparent: CallContext['traceparent']): RequestEnvelope {
  const { requestId, deadline, storeId, session, client, person, actor, actorName } = context;
  const common = { requestId, deadline, storeId, actor, traceparent };
  switch (audience) {
    case 'api': {
      const { idempotency, ifMatch, ifNoneMatch } = context;
      return { ...common, idempotency, ifMatch, ifNoneMatch, person, actorName };
    }
    case 'platform':
      return { ...common, session, client, person, actorName };
    default:
      return common;
  }
}

/** @throws AppError `internal_error` when the reply is not JSON of an object, as the replies of the server are */
function parsed<T>(message: Msg): T {
  let value: unknown;
  try {
    value = message.json();
  } catch (cause) {
    throw new AppError('internal_error', { cause });
  }
  if (typeof value === 'object' && value !== null) return value as T;
  throw new AppError('internal_error', { cause: new Error(`the reply on ${message.subject} is not an object`) });
}

/** The error for the caller. Its cause names the operation, for the log. */
function failureOf(error: unknown, subject: string): unknown {
  if (!(error instanceof NatsError)) return error;
  switch (error.code) {
    case NatsErrorCode.NoResponders:
    case NatsErrorCode.ConnectionClosed:
    case NatsErrorCode.ConnectionDraining:
      return unavailable(new Error(`no process answers ${subject}`, { cause: error }));
    case NatsErrorCode.Timeout:
      return new AppError('upstream_timeout', {
        cause: new Error(`${subject} did not answer in time`, { cause: error }),
      });
    default:
      return new AppError('internal_error', { cause: error });
  }
}

const unavailable = (cause: Error): AppError => new AppError('service_unavailable', { retryAfterSeconds: 1, cause });

/** The promise, or `upstream_timeout` when the signal comes first. Leaves no listener behind. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new AppError('upstream_timeout', { cause: signal.reason }));
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}
