import postgres from 'postgres';
import { addressesOf, tlsModeOf } from '../schema/database-addresses.ts';
import { type Address, type Opening, openSocket } from './socket.ts';
import { columnTypes } from './types.ts';

/** A tagged template that runs one statement, with postgres.js' helpers: `sql(values)`, `sql.json`, `sql.array`. */
export type Sql = postgres.ISql;

/** Limits that the server enforces, so that a client that dies or stalls cannot keep locks. */
export type ServerLimits = {
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly idleInTransactionTimeoutMs: number;
  /** 0: no limit. */
  readonly transactionTimeoutMs: number;
};

/** One connection. After it breaks it is never used again: create another client. */
export type Client = {
  readonly sql: postgres.Sql;
  readonly broken: boolean;
  /** The server has accepted the login and takes writes. */
  readonly opened: boolean;
  /** The store whose rows statements outside of a transaction see. */
  store: string | undefined;
  /** Whether statements are planned as `ReadOptions.inIndexOrder` says, or as PostgreSQL chooses. */
  inIndexOrder: boolean;
  /**
   * Sets the limits, so the first call opens. Throws 25006 when the server is read-only: a standby, or a primary that is
   * fenced. Returns how far the clock of this process is ahead of the server's, in milliseconds.
   */
  assertWritable(): Promise<number>;
  /** Closes the connection at once. Statements in flight are rejected; an open transaction is rolled back. */
  destroy(): void;
  /** Closes the connection after the statements in flight. */
  end(): Promise<void>;
};

/** For the socket with TLS, and again for the login. */
const connectTimeoutSeconds = 5;
/** The server reports these settings at the login, and when they change. */
const readOnlySettings = new Set(['default_transaction_read_only', 'in_hot_standby']);

/**
 * Creates clients of the server that takes writes, among the hosts of the address. A client that breaks before it opens
 * moves the next ones on to the next host.
 */
export function createClients(options: { url: string; name: string; limits: ServerLimits }): {
  readonly hosts: number;
  create(onBroken?: () => void): Client;
} {
  const addresses = addressesOf(options.url);
  let current = 0;
  return {
    hosts: addresses.length,
    create(onBroken) {
      const mine = current;
      const client = createClient({
        ...options,
        url: addresses[mine] ?? options.url,
        onBroken: () => {
          if (!client.opened && current === mine) current = (mine + 1) % addresses.length;
          onBroken?.();
        },
      });
      return client;
    },
  };
}

/** A client of the first host that takes writes. */
export async function openClient(options: { url: string; name: string; limits: ServerLimits }): Promise<Client> {
  const clients = createClients(options);
  for (let host = 1; ; host++) {
    const client = clients.create();
    try {
      await client.assertWritable();
      return client;
    } catch (error) {
      client.destroy();
      if (host >= clients.hosts) throw error;
    }
  }
}

/**
 * Creates a client of one host. It connects with its first statement.
 *
 * postgres.js reconnects by itself and then runs its queue. The rest of a transaction would run outside of it, and a
 * read without its store. So this function supplies the socket, and supplies only one. The socket has done its TLS
 * handshake: that of postgres.js leaves a raw socket without an error listener, and its next failure ends the process.
 */
function createClient(options: { url: string; name: string; limits: ServerLimits; onBroken?: () => void }): Client {
  const { limits } = options;
  const url = URL.parse(options.url);
  const mode = tlsModeOf(url);
  let opening: Opening | undefined;
  let broken = false;
  let opened = false;

  const sql = postgres(options.url, {
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: connectTimeoutSeconds,
    // `types` names them. Fetching them costs a round trip, and its failure would be an unhandled rejection.
    fetch_types: false,
    onnotice: () => {},
    onclose: () => destroy(),
    onparameter: (name: string, value: string) => {
      if (opened && value === 'on' && readOnlySettings.has(name)) destroy();
    },
    ssl: false,
    socket: (parsed: Parsed) => {
      if (opening || broken) throw Object.assign(new Error('the connection is gone'), { code: 'CONNECTION_CLOSED' });
      opening = openSocket(addressOf(url, parsed), { mode, limitMs: connectTimeoutSeconds * 1000 });
      return opening.opened.catch((error) => {
        destroy();
        throw error;
      });
    },
    connection: {
      application_name: options.name,
      // Instants are read in UTC, whatever the server's time zone is.
      TimeZone: 'UTC',
    },
    types: columnTypes(),
  } as postgres.Options<Record<string, postgres.PostgresType>>);

  function destroy(): void {
    if (broken) return;
    broken = true;
    opening?.destroy();
    void sql.end({ timeout: 0 }); // rejects queued statements
    options.onBroken?.();
  }

  return {
    sql,
    get broken() {
      return broken;
    },
    get opened() {
      return opened;
    },
    store: undefined,
    inIndexOrder: false,
    async assertWritable() {
      // Not with the login: a pooler rejects limits there, or drops them. The last one ends the statement of a lost client
      // within 1 s, and not at its timeout.
      const sentMs = Date.now();
      const [row] = await sql<[Checked]>`
        select current_setting('transaction_read_only') as read_only, clock_timestamp() as now,
          set_config('statement_timeout', ${String(limits.statementTimeoutMs)}, false),
          set_config('lock_timeout', ${String(limits.lockTimeoutMs)}, false),
          set_config('idle_in_transaction_session_timeout', ${String(limits.idleInTransactionTimeoutMs)}, false),
          set_config('transaction_timeout', ${String(limits.transactionTimeoutMs)}, false),
          set_config('client_connection_check_interval', '1000', false)`;
      const skewMs = (sentMs + Date.now()) / 2 - row.now.getTime();
      if (row.read_only === 'on') {
        throw Object.assign(new Error('the server is read-only'), { code: '25006' });
      }
      opened = true;
      return skewMs;
    },
    destroy,
    async end() {
      if (broken) return;
      await sql.end({ timeout: 2 });
      destroy();
    },
  };
}

/** Whether the server takes writes, and its clock. */
type Checked = { readonly read_only: string; readonly now: Date };

/** How postgres.js reads an address of one host. */
type Parsed = { readonly host: readonly string[]; readonly port: readonly number[]; readonly path?: string };

/** postgres.js takes the first colon of an IPv6 address for the one before the port. */
function addressOf(url: URL | null, { host, port, path }: Parsed): Address {
  const ipv6 = /^\[(.+)\]$/.exec(url?.hostname ?? '')?.[1];
  if (ipv6) return { host: ipv6, port: Number(url?.port || 5432) };
  return path ? { path } : { host: host[0] ?? '127.0.0.1', port: port[0] ?? 5432 };
}
