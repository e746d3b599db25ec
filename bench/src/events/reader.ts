import { createHistogram } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { servePeer } from '@mostrador/local-platform/peer';
import { eventStream } from '@mostrador/testing/event-stream';

// A process that follows a feed, so that reading and writing do not share an event loop.

export type ReadJob = {
  /** The address of the API, with its prefix. */
  readonly baseUrl: string;
  readonly key: string;
  readonly by: 'long polls' | 'the stream';
  /** It reads from now on, until it has this many events. */
  readonly events: number;
  readonly limitMs: number;
};

/** Latencies from `created_at`, the moment of the change, to the receipt. */
export type ReadResult = {
  readonly events: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Events that did not have the next number. */
  readonly gaps: number;
};

type Event = { readonly sequence: number; readonly created_at: string };

const longestMs = 600_000;

async function read(job: ReadJob): Promise<ReadResult> {
  const latencies = createHistogram({ lowest: 1, highest: longestMs, figures: 3 });
  const signal = AbortSignal.timeout(job.limitMs);
  let [count, gaps, last] = [0, 0, 0];
  const take = (event: Event) => {
    latencies.record(Math.min(longestMs, Math.max(1, Date.now() - Date.parse(event.created_at))));
    if (last > 0 && event.sequence !== last + 1) gaps += 1;
    last = event.sequence;
    count += 1;
  };
  const events = job.by === 'the stream' ? streamed(job, signal) : polled(job, signal);
  try {
    for await (const event of events) {
      take(event);
      if (count >= job.events) break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const at = (percentile: number) => latencies.percentile(percentile);
  return { events: count, p50Ms: at(50), p99Ms: at(99), maxMs: latencies.max, gaps };
}

const ask = async ({ baseUrl, key }: ReadJob, path: string, signal: AbortSignal): Promise<Response> => {
  const response = await fetch(`${baseUrl}${path}`, { headers: { 'x-api-key': key }, signal });
  if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`);
  return response;
};

async function* polled(job: ReadJob, signal: AbortSignal): AsyncGenerator<Event> {
  for (let after = -1; ; ) {
    const response = await ask(job, `/events?after=${after}&limit=200&wait=${after < 0 ? 0 : 20}`, signal);
    const { data, next } = (await response.json()) as { data: Event[]; next: number };
    yield* data;
    after = next;
  }
}

async function* streamed(job: ReadJob, signal: AbortSignal): AsyncGenerator<Event> {
  const response = await ask(job, '/events/stream', signal);
  for await (const { data } of eventStream(response)) yield JSON.parse(data) as Event;
}

let running: Promise<ReadResult> | undefined;

servePeer({
  /** Begins to read. Resolves after a moment in which the first request has reached the gateway. */
  async start(job: ReadJob) {
    running = read(job);
    running.catch(() => {});
    await pause(500);
  },
  result: () => running,
});
