import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, createChildren, type ProcessSpec, untilReady } from '../../../../infra/local/children.ts';
import { adminUrl, findPostgres, preparePostgres } from '../../../../infra/local/servers/postgres.ts';
import { freePorts } from './own-temporal.ts';

/** A test's own PostgreSQL server: its roles are its own, and the test can restart it. */
export type OwnPostgres = {
  /** An administrator's address. */
  readonly url: string;
  readonly dataDirectory: string;
  /** Ends every connection, as a restart by an operator does. Resolves when the server accepts connections again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

const readyWithinMs = 60_000;

/** @param options.prepare changes how the server runs, before its first start */
export async function startOwnPostgres(
  options: { prepare?: (spec: ProcessSpec, dataDirectory: string) => ProcessSpec } = {},
): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'mostrador-postgres-'));
  const dataDirectory = join(folder, 'data');
  const [port = 0] = await freePorts(1);
  const password = randomBytes(12).toString('hex');
  const prepared = await preparePostgres({
    ...{ binaries: findPostgres(process.env), dataDirectory, port, password },
    durable: true,
  });
  const spec = options.prepare?.(prepared, dataDirectory) ?? prepared;
  const children = createChildren(join(folder, 'children.json'));
  let server: Child;

  const start = async () => {
    server = children.start(spec);
    await untilReady(spec, server, readyWithinMs);
  };
  const stop = () => server.stop(10_000);
  await start();
  return {
    url: adminUrl({ port, password }),
    dataDirectory,
    restart: async () => {
      await stop();
      await start();
    },
    stop: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
