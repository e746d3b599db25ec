import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export type AcmeServer = {
  readonly apiUrl: string;
  /** The accepted messages. */
  readonly accepted: { readonly id: string; readonly reference: string; readonly to: string; readonly text: string }[];
  /** The status of the next answers. 202 accepts. */
  status: number;
  stop(): Promise<void>;
};

/** A stand-in for Acme. It checks the token and the form of a message. */
export async function startAcmeServer(token: string): Promise<AcmeServer> {
  const accepted: AcmeServer['accepted'] = [];
  const server = createServer(async (request, response) => {
    const body = (await json(request).catch(() => ({}))) as Record<string, string>;
    const { reference = '', to = '', text = '' } = body;
    const answer = (status: number, content: object) => response.writeHead(status).end(JSON.stringify(content));
    const asked = `${request.method} ${request.url}`;
    if (asked !== 'POST /v1/messages' && asked !== 'GET /v1/account') return answer(404, {});
    if (request.headers.authorization !== `Bearer ${token}`) return answer(401, {});
    if (request.method === 'GET') return answer(200, {});
    if (!reference || !/^[0-9]+$/.test(to) || !text) return answer(422, {});
    if (acme.status !== 202) return answer(acme.status, {});
    const id = `acme-${accepted.length + 1}`;
    accepted.push({ id, reference, to, text });
    return answer(202, { message_id: id });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const acme: AcmeServer = {
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    accepted,
    status: 202,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return acme;
}
