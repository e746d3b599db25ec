import net from 'node:net';

/** A way to a server that a test can cut and mend. */
export type TestProxy = {
  /** `127.0.0.1:port` */
  readonly address: string;
  readonly port: number;
  /** Breaks every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Takes connections again, at the same address. */
  mend(): Promise<void>;
  close(): Promise<void>;
};

/** Joins connections to ones of its own to `host:port`, for as long as either end stays. */
export function joinTo(target: string): { join(near: net.Socket): void; breakAll(): void } {
  const [host = '127.0.0.1', port] = target.split(':');
  const open = new Set<net.Socket>();
  return {
    join(near) {
      const far = net.connect(Number(port), host);
      for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
        open.add(socket);
        socket.pipe(other);
        socket.on('error', () => {});
        socket.on('close', () => {
          open.delete(socket);
          other.destroy();
        });
      }
    },
    breakAll() {
      for (const socket of open) socket.destroy();
    },
  };
}

/** Passes on whatever comes to the server at `host:port`. */
export async function startProxy(target: string): Promise<TestProxy> {
  const { join, breakAll } = joinTo(target);
  const server = net.createServer(join);
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      breakAll();
    });
  await listen(0);
  const { port } = server.address() as net.AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    port,
    cut,
    mend: () => listen(port),
    close: async () => {
      if (server.listening) await cut();
    },
  };
}
