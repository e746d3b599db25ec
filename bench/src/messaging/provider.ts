import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createHistogram } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { listenHere, servePeer } from '@mostrador/local-platform/peer';
import { nowUs, readStamp } from '../shared/load/stamp.ts';

// A stand-in of WhatsApp's API in a process of its own. It accepts every message at once.

/** What arrived since `reset`. Latencies are from the sending of the request to the arrival at the provider. */
export type Arrived = {
  readonly count: number;
  /** Messages that arrived more than once. */
  readonly doubled: number;
  /** Messages that arrived after one of the same customer that was requested later. */
  readonly misplaced: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** When the first request was sent, and when the last message arrived. */
  readonly firstSentAtUs: number;
  readonly lastAtUs: number;
};

const longestUs = 3_600_000_000;
const withinMs = 10 * 60_000;
const newHistogram = () => createHistogram({ lowest: 1, highest: longestUs, figures: 3 });
let latencies = newHistogram();
let arrived = new Set<number>();
let lastOf = new Map<string, number>();
let [doubled, misplaced, firstSentAtUs, lastAtUs] = [0, 0, Number.POSITIVE_INFINITY, 0];
let expected: { count: number; reached: () => void } | undefined;

function take(body: string): void {
  const found = readStamp(body);
  const customer = /"to":"(\d+)"/.exec(body)?.[1];
  if (!found || customer === undefined) return;
  const { index, sentAtUs } = found;
  lastAtUs = nowUs();
  if (arrived.has(index)) doubled += 1;
  else arrived.add(index);
  if (index < (lastOf.get(customer) ?? -1)) misplaced += 1;
  lastOf.set(customer, index);
  firstSentAtUs = Math.min(firstSentAtUs, sentAtUs);
  latencies.record(Math.min(longestUs, Math.max(1, lastAtUs - sentAtUs)));
  if (expected && arrived.size >= expected.count) expected.reached();
}

const server = createServer(async (request, response) => {
  const body = await text(request);
  take(body);
  const answer = JSON.stringify({ messaging_product: 'whatsapp', messages: [{ id: `wamid.${randomUUID()}` }] });
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length }).end(answer);
});
server.keepAliveTimeout = 60_000;

servePeer({
  listen: () => listenHere(server),
  /** Starts to count again. */
  reset() {
    latencies = newHistogram();
    arrived = new Set();
    lastOf = new Map();
    [doubled, misplaced, firstSentAtUs, lastAtUs] = [0, 0, Number.POSITIVE_INFINITY, 0];
    expected = undefined;
  },
  /** Resolves when this number of messages has arrived. */
  got: (count: number) =>
    new Promise<void>((resolve, reject) => {
      if (arrived.size >= count) return resolve();
      const limit = setTimeout(() => reject(new Error(`${arrived.size} of ${count} messages arrived`)), withinMs);
      expected = {
        count,
        reached() {
          clearTimeout(limit);
          resolve();
        },
      };
    }),
  arrived: (): Arrived => ({
    ...{ count: arrived.size, doubled, misplaced, firstSentAtUs, lastAtUs },
    p50Ms: latencies.percentile(50) / 1000,
    p99Ms: latencies.percentile(99) / 1000,
  }),
});
