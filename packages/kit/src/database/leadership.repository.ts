import type { Database } from './database.ts';

const limitMs = 1_000;
/** An id that no store has: the lock belongs to none. */
const noStore = '00000000-0000-0000-0000-000000000000';

/**
 * Asks whether this process is the leader of its service. The first that asks becomes it, and stays it while the
 * connection lives, so `database` has one connection. PostgreSQL gives up the connection of a host that has vanished within
 * 25 s; a process that asks later takes over.
 */
export const leadership =
  (database: Database, service: string): (() => Promise<boolean>) =>
  async () => {
    const [row] = await database.read(
      { deadline: Date.now() + limitMs, storeId: noStore },
      (sql) => sql<{ leads: boolean }[]>`
        select pg_try_advisory_lock(hashtextextended(${`leader of ${service}`}, 0)) as leads,
          set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
          set_config('tcp_keepalives_count', '3', false)`,
    );
    return row?.leads ?? false;
  };
