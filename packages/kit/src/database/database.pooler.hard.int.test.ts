import { randomUUID } from 'node:crypto';
import { silentLog } from '@mostrador/testing/context';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '@mostrador/testing/servers/pgbouncer';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from './database.ts';
import { sessionsCheck } from './readiness.ts';

const limitSettings = {
  statement_timeout: '15s',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '10s',
  transaction_timeout: '30s',
  client_connection_check_interval: '1s',
};
const scope = (storeId: string) => ({ storeId, deadline: Date.now() + 30_000 });
const shownStore = (database: Database, storeId: string) =>
  database.read(scope(storeId), (sql) => sql`select current_setting('mostrador.store_id') as id, pg_sleep(0.005)`);

let kit: TestDatabase;
beforeAll(async () => {
  kit = await createTestDatabase('crm');
});
afterAll(() => kit?.drop());

const check = (url: string) => sessionsCheck({ DATABASE_URL: url, DATABASE_SYSTEM_URL: url }, 'crm')();

test('a direct connection has the limits, and keeps its session', async () => {
  await check(kit.url);
  for (const [name, value] of Object.entries(limitSettings)) {
    const [row] = await kit.database.read(scope(randomUUID()), (sql) => sql`select current_setting(${name}) as value`);
    expect(row).toEqual({ value });
  }
});

test('without PostgreSQL it is not known whether sessions are kept, so the process is not ready', async () => {
  const nowhere = Object.assign(new URL(kit.url), { port: '1' }).href;
  await expect(check(nowhere)).rejects.toThrow('it is not known yet');
});

describe.skipIf(!hasPgBouncer)('through PgBouncer', () => {
  let pooler: PgBouncer | undefined;
  let database: Database | undefined;
  const start = async (poolMode: 'session' | 'transaction' | 'statement', settings?: string) => {
    pooler = await startPgBouncer({ urls: [kit.url, kit.systemUrl], poolMode, settings });
    return pooler.through(kit.url);
  };
  afterEach(async () => {
    await database?.close();
    await pooler?.stop();
  });

  test('in session mode everything works as without it, with the same limits', async () => {
    const url = await start('session');
    await check(url);
    const pool = createDatabase({ url, size: 4, log: silentLog(), name: 'pooler' });
    database = pool;
    for (const [name, value] of Object.entries(limitSettings)) {
      const [row] = await pool.read(scope(randomUUID()), (sql) => sql`select current_setting(${name}) as value`);
      expect(row).toEqual({ value });
    }
    const stores = Array.from({ length: 40 }, () => randomUUID());
    const shown = await Promise.all(stores.map((id) => shownStore(pool, id)));
    expect(shown.map(([row]) => row?.id)).toEqual(stores);
    const kept = await pool.write(scope(randomUUID()), async (sql) => await sql`select 1 as one`);
    expect(kept).toEqual([{ one: 1 }]);
  });

  test.each([
    ['transaction', ''],
    ['transaction', 'server_round_robin = 1'],
    ['statement', ''],
  ] as const)('in %s mode with "%s" the check fails, and says what to do', async (mode, settings) => {
    const url = await start(mode, settings);
    await expect(check(url)).rejects.toThrow(
      'leads to a pooler that shares sessions of PostgreSQL: set its pool mode to session',
    );
  });

  test('in transaction mode the check fails also while others use the pooler', async () => {
    const url = await start('transaction');
    const pool = createDatabase({ url, size: 4, log: silentLog(), name: 'others' });
    database = pool;
    let busy = true;
    const others = Array.from({ length: 4 }, async () => {
      while (busy) await pool.ping();
    });
    await expect(check(url)).rejects.toThrow('shares sessions');
    busy = false;
    await Promise.all(others);
  });
});
