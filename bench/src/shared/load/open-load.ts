import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { createRandom, type Random } from '@mostrador/testing/random';
import { type Connection, openConnection } from './connection.ts';
import { pickBy } from './pick.ts';

/** One kind of request of a mix, with its share of the requests. */
export type MixedKind = {
  readonly name: string;
  readonly share: number;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** `{lead}` becomes the id of a random lead of the caller. */
  readonly path: string;
  /** The requests use them in turn. */
  readonly bodies?: readonly string[];
  /** Header lines without line ends, instead of the caller's key. The requests use them in turn. */
  readonly headers?: readonly string[];
};

/** A store that the load sends requests for. */
export type Caller = { readonly key: string; readonly leads: readonly string[] };

/** A job with an open loop: it sends requests at a fixed rate, however long earlier requests take. */
export type OpenLoadJob = {
  readonly origin: string;
  readonly kinds: readonly MixedKind[];
  readonly callers: readonly Caller[];
  readonly perSecond: number;
  /** The number of connections. A request may wait for one; its latency counts from its planned send time. */
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
  /** Successful answers per second, from the begin of the measured time until all of its requests are answered. */
  readonly perSecond: number;
  /** Answers other than 2xx to requests of the measured time, by status. */
  readonly refused: Readonly<Record<string, number>>;
  /** Latencies of all kinds together. */
  readonly all: Latencies;
  readonly kinds: Readonly<Record<string, Latencies>>;
  readonly sent: number;
};

type Arrival = { readonly kind: MixedKind; readonly text: string; readonly dueAt: number };

/** The longest latency in microseconds. Longer ones count as this. */
const longestUs = 120_000_000;

/**
 * Runs an open loop. A latency counts from the planned send time of a request until its answer. So a stalled server is
 * charged for every request that was due in that time, not only for one (coordinated omission).
 */
export async function runOpenLoad(job: OpenLoadJob): Promise<OpenLoadResult> {
  const random = createRandom(job.seed);
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

function requestWriter({ origin, kinds, callers }: OpenLoadJob, random: Random) {
  const { host } = new URL(origin);
  const pickKind = pickBy(kinds, ({ share }) => share);
  return (index: number): { kind: MixedKind; text: string } => {
    const kind = pickKind(random.next());
    const { key, leads } = random.pick(callers);
    const path = kind.path.replace('{lead}', random.pick(leads));
    const body = kind.bodies?.[index % kind.bodies.length] ?? '';
    const length =
      body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    const header = kind.headers?.[index % kind.headers.length] ?? `X-API-Key: ${key}`;
    const head = `${kind.method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${header}\r\n${length}\r\n`;
    return { kind, text: head + body };
  };
}
