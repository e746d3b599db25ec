import type { ConnectionError } from '../problem.ts';
import { delayMs } from '../retry.ts';
import {
  type Answer,
  brokenConnection,
  connectionError,
  failureOf,
  noAnswer,
  pause,
  type SendOptions,
} from '../send.ts';
import type { EventPage, Numbered, PageSource } from './follower.ts';
import { type Frame, frameParser } from './frames.ts';

/** The server sends a comment every 15 s, so a connection that is silent for longer is broken. */
const mostSilenceMs = 30_000;
const firstRetryMs = 2_000;

/**
 * Reads `GET /events/stream`, and connects again whenever the stream ends.
 *
 * @param requestFrom makes the request of the events after a position
 */
export const streamSource = <Event extends Numbered>(
  requestFrom: (position: number) => Request,
  options: SendOptions,
  silenceMs = mostSilenceMs,
): PageSource<Event> =>
  async function* stream(position) {
    let [retryMs, failures] = [firstRetryMs, 0];
    for (;;) {
      const request = requestFrom(position());
      const connection = await connect(request, options, silenceMs);
      const failure = 'frames' in connection ? undefined : failureOf(connection.outcome, {});
      let error = failure?.error;
      if ('frames' in connection) {
        failures = 0;
        try {
          for await (const frame of connection.frames) {
            retryMs = frame.retryMs ?? retryMs;
            const page = pageOf<Event>(frame);
            if (page) yield page;
          }
        } finally {
          connection.close();
        }
        options.signal?.throwIfAborted();
        error = connectionError(request, 'ended');
      } else if (failure?.askedMs === undefined || failures >= options.maxRetries) throw error;
      if (error) options.onRetry?.(error);
      const askedMs = Math.max(retryMs, failure?.askedMs ?? 0);
      await pause(delayMs(failures, askedMs, Math.random()), options.signal);
      if (failure) failures += 1;
    }
  };

function pageOf<Event extends Numbered>({ id, data }: Frame): EventPage<Event> | undefined {
  const event: Event | undefined = data === undefined ? undefined : JSON.parse(data);
  const next = id === undefined ? event?.sequence : Number(id);
  return next === undefined ? undefined : { data: event ? [event] : [], next };
}

type Connection =
  | { readonly frames: AsyncGenerator<Frame, void, undefined>; readonly close: () => void }
  | { readonly outcome: Answer | ConnectionError };

async function connect(
  request: Request,
  { fetch, signal, attemptTimeoutMs }: SendOptions,
  silenceMs: number,
): Promise<Connection> {
  signal?.throwIfAborted();
  const closing = new AbortController();
  const within = async <Value>(limitMs: number, work: Promise<Value>): Promise<Value> => {
    const timer = setTimeout(() => closing.abort(), limitMs);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    const ended = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
    const response = await within(attemptTimeoutMs, fetch(request, { signal: ended }));
    if (response.ok && response.body && response.headers.get('content-type')?.startsWith('text/event-stream'))
      return {
        frames: framesOf(response.body, (work) => within(silenceMs, work)),
        close: () => closing.abort(),
      };
    return { outcome: { response, body: await within(attemptTimeoutMs, response.text()) } };
  } catch (cause) {
    signal?.throwIfAborted();
    return {
      outcome: connectionError(request, closing.signal.aborted ? noAnswer : brokenConnection, { cause }),
    };
  }
}

/** The frames until the stream ends, breaks, or is silent for too long. */
async function* framesOf(
  body: ReadableStream<Uint8Array>,
  limited: <Value>(work: Promise<Value>) => Promise<Value>,
): AsyncGenerator<Frame, void, undefined> {
  const [reader, decoder, parse] = [body.getReader(), new TextDecoder(), frameParser()];
  for (;;) {
    const { value } = await limited(reader.read()).catch(() => ({ value: undefined }));
    if (value === undefined) return;
    yield* parse(decoder.decode(value, { stream: true }));
  }
}
