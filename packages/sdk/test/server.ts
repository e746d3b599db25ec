import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export type Received = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};
export type Answer = (response: ServerResponse, request: Received) => unknown;

/** A server for the time of the test that gives these answers in turn, the last one again and again. */
export async function serve(...answers: Answer[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body: await text(request).catch(() => '') };
    received.push(one);
    answers[Math.min(received.length, answers.length) - 1]?.(response, one);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const problem = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
  members: object = {},
): Answer =>
  json(
    status,
    { type: 'about:blank', title: 'A title', status, detail: 'A detail.', code, request_id: 'r-1', ...members },
    { 'content-type': 'application/problem+json', ...headers },
  );
