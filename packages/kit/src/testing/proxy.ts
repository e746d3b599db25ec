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

/** Passes on whatever comes to the server at `host:port`. */
export async function startProxy(target: string): Promise<TestProxy> {
  const [host = '127.0.0.1', targetPort] = target.split(':');
  const open = new Set<net.Socket>();
  const server = net.createServer((near) => {
    const far = net.connect(Number(targetPort), host);
    for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
      open.add(socket);
      socket.pipe(other);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
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
