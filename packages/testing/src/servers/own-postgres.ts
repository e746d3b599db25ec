import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Child, createChildren, type ProcessSpec, untilReady } from '@mostrador/local-platform/children';
import { freePorts } from '@mostrador/local-platform/ports';
import { adminUrl, findPostgres, preparePostgres } from '@mostrador/local-platform/servers/postgres';
import postgres from 'postgres';
import { dataFolder } from './data-folder.ts';

/** A test's own PostgreSQL server: its roles are its own, and the test can restart it. */
export type OwnPostgres = {
  /** An administrator's address. */
  readonly url: string;
  /** Ends every connection, as a restart by an operator does. Resolves when the server accepts connections again. */
  restart(): Promise<void>;
  /** From now on only the administrator may log in, or all roles again. Open connections stay. */
  refuseLogins(refused: boolean): Promise<void>;
  stop(): Promise<void>;
};

const readyWithinMs = 60_000;

/**
 * Starts the server. With `tls` it has this certificate and accepts no connection without TLS, and its address asks for
 * `verify-full`.
 */
export async function startOwnPostgres({ tls }: { tls?: { cert: string; key: string } } = {}): Promise<OwnPostgres> {
  const folder = await dataFolder('postgres');
  const dataDirectory = join(folder, 'data');
  const [port = 0] = await freePorts(1);
  const password = randomBytes(12).toString('hex');
  const url = adminUrl({ port, password });
  const prepared = await preparePostgres({
    ...{ binaries: findPostgres(process.env), dataDirectory, port, password },
    ...{ durable: true, tls },
  });
  const administer = (statement: string) => run(tls ? `${url}?sslmode=require` : url, statement);
  const admit = (users: 'all' | 'postgres') =>
    writeFileSync(
      join(dataDirectory, 'pg_hba.conf'),
      `${tls ? 'hostssl' : 'host'} all ${users} 127.0.0.1/32 scram-sha-256\n`,
    );
  admit('all');
  const spec: ProcessSpec = {
    ...prepared,
    isReady: () =>
      administer('select 1').then(
        () => true,
        (error: Error) => error.message,
      ),
  };
  const children = createChildren(join(folder, 'children.json'));
  let server: Child;

  const start = async () => {
    server = children.start(spec);
    await untilReady(spec, server, readyWithinMs);
  };
  const stop = () => server.stop(10_000);
  await start();
  return {
    url: tls ? `${url.replace('127.0.0.1', 'localhost')}?sslmode=verify-full` : url,
    restart: async () => {
      await stop();
      await start();
    },
    async refuseLogins(refused) {
      admit(refused ? 'postgres' : 'all');
      await administer('select pg_reload_conf()');
    },
    stop: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function run(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
