import { randomUUID } from 'node:crypto';
import { createHistogram } from 'node:perf_hooks';
import { openConnection } from './connection.ts';
import type { LoadJob, LoadResult, Prepared } from './job.ts';
import { stamp, unstamped } from './stamp.ts';

/** The longest latency in microseconds. Longer ones count as this. */
const longestUs = 60_000_000;

/** Runs a closed loop. Throws at the first answer with an unexpected status. */
export async function runLoad(job: LoadJob): Promise<LoadResult> {
  const latencies = createHistogram({ lowest: 1, highest: longestUs, figures: 3 });
  const writeRequest = requestWriter(job);
  const from = performance.now();
  const measureFrom = from + job.warmUpMs;
  const until = measureFrom + job.durationMs;
  const mostRequests = job.requests ?? Number.POSITIVE_INFINITY;
  const dueAt = (index: number) => (job.perSecond === undefined ? from : from + (index * 1000) / job.perSecond);
  let sent = 0;
  let answered = 0;
  let lastAnswerAt = measureFrom;
  const startedAt = Date.now();

  const caller = async () => {
    const over = Promise.withResolvers<void>();
    const connection = await openConnection(new URL(job.origin), over.reject);
    const next = () => {
      const due = dueAt(sent);
      if (Math.max(performance.now(), due) >= until || sent >= mostRequests) return over.resolve();
      const index = sent++;
      const restMs = due - performance.now();
      if (restMs > 0) setTimeout(ask, restMs, index);
      else ask(index);
    };
    const ask = (index: number) => {
      const beganAt = performance.now();
      connection.send(writeRequest(index), (status) => {
        if (status !== job.expectedStatus) {
          return over.reject(
            new Error(`${job.method} ${job.origin}${job.prepared?.[0]?.path ?? job.paths[0]} answered ${status}`),
          );
        }
        const now = performance.now();
        if (now >= measureFrom && now < until) {
          answered++;
          lastAnswerAt = now;
        }
        if (beganAt >= measureFrom) latencies.record(clampToUs((now - beganAt) * 1000));
        next();
      });
    };
    next();
    try {
      await over.promise;
    } finally {
      connection.close();
    }
  };

  await Promise.all(Array.from({ length: job.concurrency }, caller));
  const seconds = (job.requests === undefined ? job.durationMs : lastAnswerAt - measureFrom) / 1000;
  return {
    answered,
    perSecond: answered / seconds,
    p50Ms: latencies.percentile(50) / 1000,
    p99Ms: latencies.percentile(99) / 1000,
    maxMs: latencies.max / 1000,
    sent,
    startedAt,
  };
}

const clampToUs = (microseconds: number): number => Math.min(longestUs, Math.max(1, Math.round(microseconds)));

/** Prepares the constant text of all requests once. */
function requestWriter(job: LoadJob): (index: number) => string {
  const { origin, method, headers, idempotencyKeys } = job;
  const requests = (job.prepared ?? everyRequest(job)).map(({ path, headers: own, body }) => {
    const all = {
      Host: new URL(origin).host,
      ...headers,
      ...own,
      ...(body === '' ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return { head: `${method} ${path} HTTP/1.1\r\n${lines.join('')}`, body };
  });
  const run = randomUUID();
  return (index) => {
    const { head = '', body: text = '' } = requests[index % requests.length] ?? {};
    const body = job.stamped ? text.replace(unstamped, stamp(index)) : text;
    return idempotencyKeys ? `${head}Idempotency-Key: ${run}-${index}\r\n\r\n${body}` : `${head}\r\n${body}`;
  };
}

const everyRequest = ({ paths, body = '', bodies = [body] }: LoadJob): Prepared[] =>
  bodies.flatMap((text) => paths.map((path) => ({ path, headers: {}, body: text })));
