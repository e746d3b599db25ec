import { type IncomingMessage, request } from 'node:http';
import { api } from './client.ts';

export type Frame = { readonly id?: string; readonly event?: string; readonly data?: string; readonly retry?: string };

/** A client of the event stream that keeps what it gets. */
export type EventSource = {
  readonly response: IncomingMessage;
  /** The fields of each block, in order. A comment is no field. */
  frames(): Frame[];
  /** The sequences of the events, in order. */
  sequences(): number[];
  /** Whether the server has ended the response. */
  hasEnded(): boolean;
  /** Goes away, as a client does that is killed. */
  close(): void;
};

/** Opens the stream at `http://127.0.0.1:<port>`. Resolves with its status and headers. */
export async function openEventSource(
  port: number,
  {
    key,
    prefix = api,
    query = '',
    headers = {},
  }: { key?: string; prefix?: string; query?: string; headers?: Record<string, string> },
): Promise<EventSource> {
  const frames: Frame[] = [];
  const sequences: number[] = [];
  let unread = '';
  let ended = false;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(`http://127.0.0.1:${port}${prefix}/events/stream${query}`, {
      headers: { ...(key ? { 'x-api-key': key } : {}), ...headers },
    });
    sent.once('response', resolve).once('error', reject).end();
  });
  response.setEncoding('utf8');
  // Read as it comes: tests look often, and a stream can have megabytes.
  response.on('data', (chunk) => {
    const blocks = (unread + chunk).split('\n\n');
    unread = blocks.pop() ?? '';
    for (const frame of blocks.map(readFrame)) {
      frames.push(frame);
      if (frame.data !== undefined) sequences.push(JSON.parse(frame.data).sequence);
    }
  });
  response.on('error', () => {});
  response.once('end', () => {
    ended = true;
  });
  return {
    response,
    frames: () => [...frames],
    sequences: () => [...sequences],
    hasEnded: () => ended,
    close: () => void response.destroy(),
  };
}

const readFrame = (block: string): Frame =>
  Object.fromEntries(
    block
      .split('\n')
      .filter((line) => !line.startsWith(':'))
      .map((line) => line.split(/: (.*)/s, 2) as [string, string]),
  );
