import net from 'node:net';
import postgres from 'postgres';
import { columnTypes } from './types.ts';

/** A tagged template that runs one statement, with postgres.js' own parts: `sql(values)`, `sql.json`, `sql.array`. */
export type Sql = postgres.ISql;

/** Limits that the server itself holds, so that a client that dies or stalls cannot keep locks. */
export type ServerLimits = {
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly idleInTransactionTimeoutMs: number;
  /** 0: no limit. */
  readonly transactionTimeoutMs: number;
};

/** One connection with one life. Whatever breaks it, it is never used again: make another. */
export type Client = {
  readonly sql: postgres.Sql;
  readonly broken: boolean;
  /** Cuts the connection at once; everything in flight is rejected, an open transaction is rolled back. */
  destroy(): void;
  /** Closes the connection after what is in flight. */
  end(): Promise<void>;
};

const connectTimeoutSeconds = 5;

/**
 * Makes a client; it connects with its first statement.
 *
 * postgres.js connects again by itself, and then runs what was queued: the rest of a transaction would run outside of it,
 * and a read without its store. So its socket is ours, and there is only ever one.
 */
export function createClient(options: {
  url: string;
  name: string;
  limits: ServerLimits;
  onBroken?: () => void;
}): Client {
  const { limits } = options;
  let socket: net.Socket | undefined;
  let broken = false;

  const sql = postgres(options.url, {
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: connectTimeoutSeconds,
    // The types are named below: to look them up costs a round trip, and its failure would be an unhandled rejection.
    fetch_types: false,
    onnotice: () => {},
    onclose: () => destroy(),
    socket: (parsed: { host: string[]; port: number[]; path?: string }) => {
      if (socket || broken) throw Object.assign(new Error('the connection is gone'), { code: 'CONNECTION_CLOSED' });
      socket = open(parsed);
      return connected(socket).catch((error) => {
        destroy();
        throw error;
      });
    },
    connection: {
      application_name: options.name,
      // In which instants are read, whatever the server's is.
      TimeZone: 'UTC',
      statement_timeout: limits.statementTimeoutMs,
      lock_timeout: limits.lockTimeoutMs,
      idle_in_transaction_session_timeout: limits.idleInTransactionTimeoutMs,
      transaction_timeout: limits.transactionTimeoutMs,
      // A statement whose client has gone ends within a second, not at its timeout.
      client_connection_check_interval: 1000,
    },
    types: columnTypes(),
  } as postgres.Options<Record<string, postgres.PostgresType>>);

  function destroy(): void {
    if (broken) return;
    broken = true;
    socket?.destroy();
    void sql.end({ timeout: 0 }); // rejects what is queued
    options.onBroken?.();
  }

  return {
    sql,
    get broken() {
      return broken;
    },
    destroy,
    async end() {
      if (broken) return;
      await sql.end({ timeout: 2 });
      destroy();
    },
  };
}

function open({ host, port, path }: { host: string[]; port: number[]; path?: string }): net.Socket {
  const address = path ? { path } : { host: host[0] ?? '127.0.0.1', port: port[0] ?? 5432 };
  const socket = net.connect({ ...address, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 });
  socket.on('error', () => {}); // postgres.js removes its own listeners before it is done with the socket
  socket.setTimeout(connectTimeoutSeconds * 1000, () =>
    socket.destroy(Object.assign(new Error('no connection in time'), { code: 'CONNECT_TIMEOUT' })),
  );
  // Its certificate is checked against this name.
  return Object.assign(socket, { host: host[0] });
}

function connected(socket: net.Socket): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'CONNECTION_CLOSED' })));
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}
