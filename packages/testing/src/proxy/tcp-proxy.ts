import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { createRule, forward, type Hold, type HoldKind, type Rule } from './hold.ts';

export type { Hold } from './hold.ts';

/** A TCP proxy in front of a server. A test can cut it, freeze it, or stop a connection at an exact point. */
export type TcpProxy = {
  /** `127.0.0.1:port` */
  readonly address: string;
  readonly port: number;
  /** Breaks every connection and accepts no new one. */
  cut(): void;
  /** Connections stay open and new ones are accepted, but no byte passes. */
  freeze(): void;
  /** Ends `cut` and `freeze`. Breaks the frozen connections. */
  mend(): void;
  /**
   * Stops the first connection whose client sends this text: neither the text nor anything later reaches the server.
   * With `after`, only a connection that has sent that other text before.
   */
  holdRequest(text: string, after?: string): Hold;
  /** Delivers the text, then stops the connection at the server's next chunk: the effect happens without an answer. */
  holdAnswer(text: string, after?: string): Hold;
  /** Stops the first connection whose server sends this text. Neither that nor anything later reaches the client. */
  holdDelivery(text: string): Hold;
  close(): Promise<void>;
};

/**
 * Starts a proxy to `host:port`. With `tls`, the proxy terminates TLS, as a load balancer does. A chunk that is held
 * when the client closes is never delivered.
 */
export async function startTcpProxy(target: string, { tls }: { tls?: TlsOptions } = {}): Promise<TcpProxy> {
  const [host = '127.0.0.1', targetPort] = target.split(':');
  let state: 'open' | 'cut' | 'frozen' = 'open';
  const rules = new Set<Rule>();
  const sockets = new Set<Socket>();

  const accept = (client: Socket) => {
    const upstream = connect({ port: Number(targetPort), host, noDelay: true });
    let answerHeldBy: Rule | undefined;
    const isFrozen = () => state === 'frozen';
    const up = forward(upstream, rules, 'request', isFrozen, {
      passed: (isAt) => {
        for (const rule of rules) {
          if (rule.kind !== 'answer' || rule.taken || !isAt(rule)) continue;
          rule.taken = true;
          answerHeldBy = rule;
        }
      },
    });
    const down = forward(client, rules, 'delivery', isFrozen, {
      holdBefore: () => {
        const rule = answerHeldBy;
        answerHeldBy = undefined;
        return rule;
      },
    });
    for (const [socket, other, direction] of [
      [client, upstream, up],
      [upstream, client, down],
    ] as const) {
      sockets.add(socket);
      socket.on('data', direction.chunk);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        direction.end(() => other.destroy());
      });
    }
    if (state === 'cut') client.destroy();
  };

  const server = tls ? createTlsServer(tls, accept) : createServer({ noDelay: true }, accept);
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const hold = (kind: HoldKind, text: string, after?: string): Hold => {
    const rule = createRule({ kind, text, after }, () => rules.delete(rule));
    rules.add(rule);
    return rule;
  };
  return {
    address: `127.0.0.1:${port}`,
    port,
    holdRequest: (text, after) => hold('request', text, after),
    holdAnswer: (text, after) => hold('answer', text, after),
    holdDelivery: (text) => hold('delivery', text),
    cut() {
      state = 'cut';
      breakAll();
    },
    freeze() {
      state = 'frozen';
    },
    mend() {
      if (state === 'frozen') breakAll();
      state = 'open';
    },
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
