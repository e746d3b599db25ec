import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server, so that a test can take the server away from that client alone. */
export type TcpProxy = {
  readonly port: number;
  /** Breaks every connection and takes no new one. */
  cut(): void;
  /** Lets connections through again. */
  mend(): void;
  /** Connections stay open, and nothing comes through. */
  freeze(): void;
  close(): Promise<void>;
};

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'frozen' = 'open';
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const upstream = connect(target.port, target.host);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => state === 'open' && to.write(bytes));
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      state = 'cut';
      breakAll();
    },
    mend() {
      if (state === 'frozen') breakAll();
      state = 'open';
    },
    freeze() {
      state = 'frozen';
    },
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
