import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Answer, json, problem, type Received, serve } from '../../test/server.ts';
import { senderOf } from '../client.ts';
import { ConnectionError, ProblemError } from '../problem.ts';
import { type Feed, type FollowOptions, feedOf } from './feed.ts';

const apiKey = 'mk_live_secret0secret';
const ways = ['follow', 'stream'] as const;
type Way = (typeof ways)[number];

const eventOf = (sequence: number) => ({ id: `e-${sequence}`, type: 'lead.created', sequence, data: { text: '“çã”' } });
const frameOf = (sequence: number) =>
  `id: ${sequence}\nevent: lead.created\ndata: ${JSON.stringify(eventOf(sequence))}\n\n`;
const streamHead = { 'content-type': 'text/event-stream; charset=utf-8' };
const soon = 'retry: 1\n\n';

/** Where the request begins to read. */
function positionOf({ url, headers }: Received): number {
  const { searchParams } = new URL(url, 'http://127.0.0.1');
  return Number(headers['last-event-id'] ?? searchParams.get('after'));
}

/** A feed of `total` events: a page has three of them, and a stream all that are left. */
const answers = (total: number) => {
  const left = (request: Received) => {
    const from = positionOf(request);
    return Array.from({ length: total - from }, (_, index) => from + index + 1);
  };
  const page: Answer = (response, request) => {
    const data = left(request).slice(0, 3).map(eventOf);
    json(200, { data, next: data.at(-1)?.sequence ?? total })(response, request);
  };
  const stream: Answer = (response, request) =>
    response.writeHead(200, streamHead).write(soon + left(request).map(frameOf).join(''));
  /** The answer without its end. */
  const cut =
    (bytes: number): Answer =>
    (response, request) => {
      const text = request.url.includes('/stream')
        ? soon + left(request).map(frameOf).join('')
        : JSON.stringify({ data: left(request).map(eventOf), next: total });
      const head = request.url.includes('/stream') ? streamHead : { 'content-length': String(text.length + 100) };
      response.writeHead(200, head).write(Buffer.from(text).subarray(0, bytes), () => response.destroy());
    };
  return { page, stream, cut };
};

async function follow(way: Way, given: readonly Answer[]) {
  const { origin, received } = await serve(...given);
  const feed: Feed = feedOf(senderOf({ baseUrl: `${origin}/v1`, apiKey }));
  const start = (after: number, options: FollowOptions = {}) =>
    feed[way]({ after, types: ['lead.created', 'lead.updated'], entity_id: 'one' }, options);
  return { received, start };
}

/** The numbers of the first events. */
async function take(events: AsyncIterable<{ readonly sequence: number }>, count: number): Promise<number[]> {
  const got: number[] = [];
  for await (const { sequence } of events) {
    got.push(sequence);
    if (got.length === count) break;
  }
  return got;
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe.each(ways)('%s', (way) => {
  test('each event comes once, however connections break', async () => {
    const { page, stream, cut } = answers(12);
    const broken: Answer[] = [
      cut(250),
      (response) => response.destroy(),
      problem(503, 'service_unavailable'),
      cut(0),
      (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
      cut(431),
    ];
    // A page between the failures keeps the delays short.
    const given = way === 'follow' ? broken.flatMap((each) => [each, page]) : [...broken, stream];
    const { received, start } = await follow(way, given);
    const errors: Error[] = [];
    const events = start(0, { onRetry: (error) => errors.push(error) });
    expect(await take(events, 12)).toEqual(upTo(12));
    expect(events.cursor).toBe(12);
    expect(errors.length).toBeGreaterThanOrEqual(4);
    for (const error of errors) expect(error instanceof ProblemError || error instanceof ConnectionError).toBe(true);
    const positions = received.map(positionOf);
    expect(positions).toEqual([...positions].sort((one, other) => one - other));
    expect(new Set(received.map(({ headers }) => headers['x-api-key']))).toEqual(new Set([apiKey]));
  });

  test('the filters and the position are in the request', async () => {
    const { page, stream } = answers(9);
    const { received, start } = await follow(way, [way === 'follow' ? page : stream]);
    expect(await take(start(7), 2)).toEqual([8, 9]);
    const url = new URL(received[0]?.url ?? '', 'http://127.0.0.1');
    expect(url.pathname).toBe(way === 'follow' ? '/v1/events' : '/v1/events/stream');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      ...{ types: 'lead.created,lead.updated', entity_id: 'one', after: '7' },
      ...(way === 'follow' ? { limit: '100', wait: '20' } : {}),
    });
  });

  test.each([
    [410, 'cursor_expired'],
    [401, 'invalid_api_key'],
    [403, 'scope_required'],
  ])('an answer %i %s ends the loop with its error, also after a while', async (status, code) => {
    const { cut } = answers(2);
    const { start } = await follow(way, [cut(20), problem(status, code)]);
    const error = await take(start(0), 5).catch((each) => each);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ status, code });
  });

  test('the number of failures in a row can be limited', async () => {
    const { received, start } = await follow(way, [(response) => response.destroy()]);
    await expect(take(start(0, { maxRetries: 1 }), 1)).rejects.toBeInstanceOf(ConnectionError);
    expect(received).toHaveLength(2);
  });

  test.each([
    ['while it waits for an event', () => {}],
    ['while it waits to connect again', problem(503, 'service_unavailable', { 'retry-after': '60' })],
  ])('a signal ends it %s, without an error', async (_, answer: Answer) => {
    const { received, start } = await follow(way, [answer]);
    const controller = new AbortController();
    const loop = take(start(0, { signal: controller.signal }), 1);
    await expect.poll(() => received.length).toBe(1);
    await pause(20);
    controller.abort();
    expect(await loop).toEqual([]);
  });
});

describe('follow', () => {
  test('`-1` gets a position at once, and keeps it when the connection breaks', async () => {
    const { received, start } = await follow('follow', [
      json(200, { data: [], next: 40 }),
      (response) => response.destroy(),
      json(200, { data: [eventOf(41)], next: 41 }),
    ]);
    expect(await take(start(-1), 1)).toEqual([41]);
    const asked = received.map(({ url }) => new URL(url, 'http://127.0.0.1').searchParams);
    expect(asked.map((query) => [query.get('after'), query.get('wait')])).toEqual([
      ['-1', '0'],
      ['40', '20'],
      ['40', '20'],
    ]);
  });
});

describe('stream', () => {
  test('it resumes with `Last-Event-ID` behind the last whole frame, also one without an event', async () => {
    const { received, start } = await follow('stream', [
      (response) => response.writeHead(200, streamHead).end(`${soon}: heartbeat\nid: 5\n\nid: 6\ndata: {"half`),
      (response) => response.writeHead(200, streamHead).write(frameOf(6)),
    ]);
    expect(await take(start(-1), 1)).toEqual([6]);
    expect(received.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '5']);
  });

  test('it waits as long as `retry` says', async () => {
    const { start } = await follow('stream', [
      (response) => response.writeHead(200, streamHead).end('retry: 900\n\nid: 1\n\n'),
      (response) => response.writeHead(200, streamHead).write(frameOf(2)),
    ]);
    const since = performance.now();
    await take(start(0), 1);
    expect(performance.now() - since).toBeGreaterThan(895);
  });

  test('`break` closes the connection', async () => {
    let isClosed = false;
    const { start } = await follow('stream', [
      (response) => {
        response.once('close', () => {
          isClosed = true;
        });
        response.writeHead(200, streamHead).write(frameOf(1));
      },
    ]);
    await take(start(0), 1);
    await expect.poll(() => isClosed).toBe(true);
  });

  test('a page of a proxy is no stream', async () => {
    const html: Answer = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi</h1>');
    const { start } = await follow('stream', [html]);
    await expect(take(start(0), 1)).rejects.toMatchObject({ code: 'unexpected_response', status: 200 });
  });
});
