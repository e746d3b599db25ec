import { expect, test } from 'vitest';
import { type Answer, serve } from '../../test/server.ts';
import { senderOf } from '../client.ts';
import { Follower } from './follower.ts';
import { streamSource } from './stream.ts';

test('a connection on which nothing comes for too long is made again', async () => {
  const frames =
    (text: string): Answer =>
    (response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text);
  const { origin, received } = await serve(frames('retry: 1\n\nid: 1\n\n'), frames('data: {"sequence":2}\n\n'));
  const { requestOf, settings } = senderOf({ baseUrl: `${origin}/v1`, apiKey: 'mk_live_one' });
  const requestFrom = () => requestOf({ method: 'GET', path: '/events/stream', input: 'query' }, {});
  const source = streamSource<{ sequence: number }>(requestFrom, settings, 100);
  for await (const { sequence } of new Follower(source, 0)) {
    expect(sequence).toBe(2);
    break;
  }
  expect(received).toHaveLength(2);
});
