import { type OwnPostgres, startOwnPostgres } from '@mostrador/testing/servers/own-postgres';
import { waitFor } from '@mostrador/testing/wait';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readReplication } from './database.repository.ts';

let server: OwnPostgres;
let sql: postgres.Sql;
beforeAll(async () => {
  server = await startOwnPostgres();
  sql = postgres(server.url, { max: 1, onnotice: () => {} });
  await sql`create schema scheduling`;
  await sql`create table scheduling.restore_fence (since timestamptz)`;
  await sql`alter system set archive_mode = 'on'`;
  // It hangs, as at a mount that does not answer.
  await sql`alter system set archive_command = 'sleep 600'`;
  await sql.end();
  await server.restart();
  sql = postgres(server.url, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await sql?.end();
  await server?.stop();
});

test('a file that an archive command hangs at is seen, although no attempt has failed', async () => {
  expect(await readReplication(sql)).toMatchObject({ archive: 'on', unarchived_since: null });
  await sql`create table written as select 1 as n`;
  await sql`select pg_switch_wal()`;
  const state = await waitFor(
    async () => {
      const read = await readReplication(sql);
      return read.unarchived_since ? read : undefined;
    },
    { description: 'the finished file waits' },
  );
  expect(state).toMatchObject({ unarchived_since: expect.any(Date), archived_at: null, archive_failed_at: null });
});

test('the end of a base backup is known, and not while it runs', async () => {
  expect((await readReplication(sql)).backed_up_at).toBeNull();
  await sql`select pg_backup_start('test', true)`;
  expect((await readReplication(sql)).backed_up_at).toBeNull();
  await sql`select pg_backup_stop(false)`;
  expect((await readReplication(sql)).backed_up_at).toEqual(expect.any(Date));
});

test('a role that may not look at the log is told apart from a log that is fine', async () => {
  await sql`create role looker`;
  await sql`grant usage on schema scheduling to looker`;
  await sql`grant select on scheduling.restore_fence to looker`;
  await sql`set role looker`;
  const state = await readReplication(sql);
  await sql`reset role`;
  expect(state).not.toHaveProperty('unarchived_since');
  expect(state).not.toHaveProperty('backed_up_at');
});
