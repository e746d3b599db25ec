import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { type Connection, openConnection } from './connection.ts';
import { pickBy } from './pick.ts';

/** One kind of request of a mix, and what share of the requests it is. */
export type MixedKind = {
  readonly name: string;
  readonly share: number;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** `{lead}` stands for the id of one of the caller's leads. */
  readonly path: string;
  /** Of which the next is taken each time. */
  readonly bodies?: readonly string[];
};

/** A store that requests are sent for, at random. */
export type Caller = { readonly key: string; readonly leads: readonly string[] };

/** So many requests a second, sent when their moment has come, however long the ones before take. */
export type OpenLoadJob = {
  readonly origin: string;
  readonly kinds: readonly MixedKind[];
  readonly callers: readonly Caller[];
  readonly perSecond: number;
  /** Requests wait for one of so many connections; their time counts from the moment at which they were to be sent. */
  readonly connections: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
  readonly seed: number;
};

export type Latencies = {
  readonly answered: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
};

export type OpenLoadResult = {
  /** Answered with success a second, from the first moment of the measured time until all of its requests were answered. */
  readonly perSecond: number;
  /** Of the measured time's requests: answers other than 2xx, by their status. */
  readonly refused: Readonly<Record<string, number>>;
  /** Of all kinds together. */
  readonly all: Latencies;
  readonly kinds: Readonly<Record<string, Latencies>>;
  readonly sent: number;
};

type Arrival = { readonly kind: MixedKind; readonly text: string; readonly dueAt: number };

/** Microseconds; longer counts as this. */
const longestUs = 120_000_000;

/**
 * Runs a job: an open loop. A latency is the time from the moment at which a request was to be sent until its answer, so
 * that a server that stalls is charged for every request that would have come meanwhile, and not for one alone
 * (coordinated omission).
 */
export async function runOpenLoad(job: OpenLoadJob): Promise<OpenLoadResult> {
  const random = generator(job.seed);
  const write = requestWriter(job, random);
  const histograms = new Map(job.kinds.map(({ name }) => [name, newHistogram()]));
  const all = newHistogram();
  const refused: Record<string, number> = {};
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const idle: Connection[] = await Promise.all(
    Array.from({ length: job.connections }, () => openConnection(new URL(job.origin), failed.reject)),
  );
  const connections = [...idle];
  const waiting: Arrival[] = [];

  const from = performance.now();
  const measureFrom = from + job.warmUpMs;
  const until = measureFrom + job.durationMs;
  const gapMs = 1000 / job.perSecond;
  let due = from;
  let sent = 0;
  let open = 0;
  let succeeded = 0;
  let lastAnswerAt = measureFrom;
  const over = Promise.withResolvers<void>();

  const send = (connection: Connection, arrival: Arrival) => {
    connection.send(arrival.text, (status) => {
      const now = performance.now();
      open--;
      if (arrival.dueAt >= measureFrom) {
        lastAnswerAt = now;
        if (status >= 200 && status < 300) succeeded++;
        else refused[status] = (refused[status] ?? 0) + 1;
        const us = Math.min(longestUs, Math.max(1, Math.round((now - arrival.dueAt) * 1000)));
        all.record(us);
        histograms.get(arrival.kind.name)?.record(us);
      }
      const next = waiting.shift();
      if (next) send(connection, next);
      else idle.push(connection);
      if (open === 0 && due >= until) over.resolve();
    });
  };
  const tick = () => {
    const now = performance.now();
    for (; due <= now && due < until; due += gapMs) {
      const { kind, text } = write(sent++);
      open++;
      const arrival = { kind, text, dueAt: due };
      const connection = idle.pop();
      if (connection) send(connection, arrival);
      else waiting.push(arrival);
    }
    if (due < until) setTimeout(tick, Math.max(0, due - performance.now()));
    else if (open === 0) over.resolve();
  };
  tick();
  try {
    await Promise.race([over.promise, failed.promise]);
  } finally {
    for (const connection of connections) connection.close();
  }
  return {
    perSecond: succeeded / ((Math.max(lastAnswerAt, until) - measureFrom) / 1000),
    refused,
    all: latenciesOf(all),
    kinds: Object.fromEntries([...histograms].map(([name, histogram]) => [name, latenciesOf(histogram)])),
    sent,
  };
}

const newHistogram = () => createHistogram({ lowest: 1, highest: longestUs, figures: 3 });

const latenciesOf = (histogram: RecordableHistogram): Latencies => ({
  answered: histogram.count,
  p50Ms: histogram.percentile(50) / 1000,
  p99Ms: histogram.percentile(99) / 1000,
  p999Ms: histogram.percentile(99.9) / 1000,
  maxMs: histogram.max / 1000,
});

function requestWriter({ origin, kinds, callers }: OpenLoadJob, random: () => number) {
  const { host } = new URL(origin);
  const pickKind = pickBy(kinds, ({ share }) => share);
  const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  return (index: number): { kind: MixedKind; text: string } => {
    const kind = pickKind(random());
    const { key, leads } = oneOf(callers);
    const path = kind.path.replace('{lead}', oneOf(leads));
    const body = kind.bodies?.[index % kind.bodies.length] ?? '';
    const length =
      body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    const head = `${kind.method} ${path} HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\n${length}\r\n`;
    return { kind, text: head + body };
  };
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
