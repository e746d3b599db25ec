import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request through the proxy, and the answer of the server behind it, whose body has not been read yet. */
export type Exchange = {
  readonly incoming: IncomingMessage;
  readonly answer: IncomingMessage;
  readonly response: ServerResponse;
};

export const passOn = ({ answer, response }: Exchange): void => {
  answer.pipe(response.writeHead(answer.statusCode ?? 500, answer.headers));
};

/** An HTTP proxy in front of `target`, which clients reach at `path`. It changes no address in a body. */
export async function startHttpProxy(
  target: URL,
  { path = target.pathname, answered = passOn }: { path?: string; answered?: (exchange: Exchange) => void } = {},
): Promise<{ url: string; server: Server }> {
  const server = createServer((incoming, response) => {
    const { method, url = '', headers } = incoming;
    const inside = url.startsWith(path) ? `${target.pathname}${url.slice(path.length)}` : '/nowhere';
    const options = { host: target.hostname, port: target.port, method, path: inside, headers };
    const onward = request(options, (answer) => answered({ incoming, answer, response }));
    onward.once('error', () => incoming.socket.destroy());
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, server };
}
