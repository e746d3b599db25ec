import { createServer } from 'node:http';
import { createHistogram } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { listenHere, servePeer } from '@mostrador/local-platform/peer';

// A receiver of webhooks in a process of its own. It verifies no signatures, so that it is not what is measured.

/** What the well endpoints got. Latencies are from `created_at`, the moment of the change, to the receipt. */
export type Received = {
  readonly events: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Requests of the endpoint that hangs, and of the one that answers 500. */
  readonly toHanging: number;
  readonly toFailing: number;
};

const longestMs = 600_000;
const hangMs = 15_000;
let latencies = createHistogram({ lowest: 1, highest: longestMs, figures: 3 });
let [events, toHanging, toFailing] = [0, 0, 0];
let expected: { count: number; reached: () => void } | undefined;

const server = createServer(async (request, response) => {
  const body = await text(request);
  if (request.url?.startsWith('/hang')) {
    toHanging += 1;
    setTimeout(() => response.writeHead(200).end(), hangMs).unref();
    return;
  }
  if (request.url === '/fail') {
    toFailing += 1;
    response.writeHead(500).end();
    return;
  }
  const { created_at } = JSON.parse(body) as { created_at: string };
  latencies.record(Math.min(longestMs, Math.max(1, Date.now() - Date.parse(created_at))));
  events += 1;
  response.writeHead(204).end();
  if (expected && events >= expected.count) expected.reached();
});
server.keepAliveTimeout = 60_000;

servePeer({
  listen: () => listenHere(server),
  /** Starts to count again. */
  reset() {
    latencies = createHistogram({ lowest: 1, highest: longestMs, figures: 3 });
    [events, toHanging, toFailing] = [0, 0, 0];
    expected = undefined;
  },
  /** Resolves when the healthy endpoints have got this number of events. */
  got: (count: number) =>
    new Promise<void>((resolve) => {
      if (events >= count) resolve();
      else expected = { count, reached: resolve };
    }),
  received: (): Received => ({
    events,
    p50Ms: latencies.percentile(50),
    p99Ms: latencies.percentile(99),
    maxMs: latencies.max,
    toHanging,
    toFailing,
  }),
});
