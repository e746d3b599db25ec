import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** A request that the receiver got. */
export type ReceivedWebhook = {
  readonly id: string;
  readonly path: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly sequence: number;
    readonly entity: { readonly id: string };
    readonly data: Readonly<Record<string, unknown>>;
  };
  /** The bytes as they came. */
  readonly body: string;
};

/** What the receiver answers. `hang`: nothing, until it is closed. `reset`: it closes the connection instead. */
export type WebhookAnswer =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | 'hang'
  | 'reset';

export type WebhookReceiver = {
  readonly url: string;
  readonly port: number;
  /** Everything that was accepted or refused by `answer`, in the order of arrival. */
  readonly received: ReceivedWebhook[];
  /** The requests that no receiver may get: without a valid signature, or not of the documented form. */
  readonly faults: string[];
  /** The most requests that were open at once. */
  mostAtOnce(): number;
  /** The secret that verifies. Until it is set, every request is a fault. */
  trust(secret: string): void;
  /** Decides the answers from now on. Default: 200. `number` counts the requests for one event, from 1. */
  answer(decide: (webhook: ReceivedWebhook, number: number) => WebhookAnswer | Promise<WebhookAnswer>): void;
  close(): Promise<void>;
};

/**
 * A receiver of webhooks that is as strict as a careful one: it verifies every request with the library of Standard
 * Webhooks, and keeps what does not follow the documentation as a fault.
 */
export async function startWebhookReceiver(options: { port?: number } = {}): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const faults: string[] = [];
  let secret: string | undefined;
  let decide: Parameters<WebhookReceiver['answer']>[0] = () => ({ status: 200 });
  let open = 0;
  let most = 0;

  const read = async (request: IncomingMessage): Promise<ReceivedWebhook> => {
    const { method, headers, url = '' } = request;
    const body = (await buffer(request)).toString('utf8');
    if (method !== 'POST') throw new Error(`the method is ${method}`);
    if (headers['content-type'] !== 'application/json') throw new Error('the body is not declared as JSON');
    if (!headers['user-agent']) throw new Error('the sender does not name itself');
    if (secret === undefined) throw new Error('no secret is known yet');
    const event = new Webhook(secret).verify(body, headers as Record<string, string>) as ReceivedWebhook['event'];
    if (headers['webhook-id'] !== event.id) throw new Error('the id of the message is not that of the event');
    return { id: event.id, path: url, headers, event, body };
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let webhook: ReceivedWebhook;
    try {
      webhook = await read(request);
    } catch (error) {
      faults.push((error as Error).message);
      response.writeHead(401).end();
      return;
    }
    received.push(webhook);
    const number = received.filter(({ id }) => id === webhook.id).length;
    const answer = await decide(webhook, number);
    if (answer === 'hang') return;
    if (answer === 'reset') return void request.socket.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.body ?? '');
  };

  const server = createServer((request, response) => {
    open += 1;
    most = Math.max(most, open);
    response.once('close', () => {
      open -= 1;
    });
    respond(request, response).catch((error) => {
      faults.push(String(error));
      response.destroy();
    });
  }).listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    port,
    received,
    faults,
    mostAtOnce: () => most,
    trust: (given) => {
      secret = given;
    },
    answer: (given) => {
      decide = given;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
