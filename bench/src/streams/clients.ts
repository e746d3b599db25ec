import { get, type IncomingMessage } from 'node:http';
import { eachOf } from '@mostrador/kit/process/each-of';
import { servePeer } from '@mostrador/local-platform/peer';

// A process that holds streams as browsers do, each on a connection of its own.

export type OpenJob = {
  readonly origin: string;
  /** The tokens of the sessions. Each gets one stream. */
  readonly tokens: readonly string[];
};

/** What the streams have seen so far. */
export type Seen = {
  readonly open: number;
  /** How many ended, and when the last one did, in milliseconds since the epoch. */
  readonly ended: number;
  readonly lastEndMs: number;
  /** How many got an event, and when the last one did. */
  readonly withEvent: number;
  readonly lastEventMs: number;
};

const openAtOnce = 64;
const path = '/platform/v1/events/stream';
const responses: IncomingMessage[] = [];
const seen = { open: 0, ended: 0, lastEndMs: 0, withEvent: 0, lastEventMs: 0 };

async function open(origin: string, token: string): Promise<void> {
  const headers = { cookie: `__Host-mostrador=${token}`, 'sec-fetch-site': 'same-origin' };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${origin}${path}`, { agent: false, headers }).once('response', resolve).once('error', reject);
  });
  if (response.statusCode !== 200) throw new Error(`a stream got ${response.statusCode}`);
  responses.push(response);
  seen.open += 1;
  let hasEvent = false;
  response.on('data', (chunk: Buffer) => {
    if (hasEvent || !chunk.includes('data: ')) return;
    hasEvent = true;
    seen.withEvent += 1;
    seen.lastEventMs = Date.now();
  });
  response.on('error', () => {});
  response.once('close', () => {
    seen.open -= 1;
    seen.ended += 1;
    seen.lastEndMs = Date.now();
  });
}

servePeer({
  async open({ origin, tokens }: OpenJob) {
    await eachOf(tokens, openAtOnce, (token) => open(origin, token));
  },
  seen: (): Seen => ({ ...seen }),
  close() {
    for (const response of responses) response.destroy();
  },
});
