import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Child, createChildren, untilReady } from '@mostrador/local-platform/children';
import { freePort } from '@mostrador/local-platform/ports';
import { findTemporal, temporalSpec } from '@mostrador/local-platform/servers/temporal';

/** Starts a Temporal server, as `prepareTemporal` says. */
export async function startTemporal(folder: string) {
  const temporal = await prepareTemporal(folder);
  await temporal.start();
  return temporal;
}

/** A Temporal server that tests stop and start with `POST /stop` and `POST /start` at `controlUrl`. */
export async function prepareTemporal(folder: string) {
  const report = (line: string) => void process.stderr.write(`[e2e] ${line}\n`);
  const binary = await findTemporal(process.env, report);
  const [grpc, http, metrics] = await Promise.all([freePort(), freePort(), freePort()]);
  const home = join(folder, 'e2e-temporal');
  mkdirSync(home);
  const spec = temporalSpec({ binary, home, ports: { grpc, http, metrics }, databaseFile: join(home, 'temporal.db') });
  const children = createChildren(join(folder, 'e2e-children.json'));
  let server: Child | undefined;

  const start = async () => {
    server ??= children.start(spec);
    await untilReady(spec, server);
  };
  const stop = async () => {
    await server?.stop(10_000);
    server = undefined;
  };

  const control = createServer((request, response) => {
    const run = request.url === '/stop' ? stop() : start();
    run.then(
      () => response.writeHead(204).end(),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve));
  return {
    start,
    address: `127.0.0.1:${grpc}`,
    httpUrl: `http://127.0.0.1:${http}`,
    restart: async () => {
      await stop();
      await start();
    },
    controlUrl: `http://127.0.0.1:${(control.address() as AddressInfo).port}`,
    close: async () => {
      control.close();
      await stop();
    },
  };
}
