import { randomUUID } from 'node:crypto';
import { silentLog } from '@mostrador/testing/context';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database, isUniqueViolation, type StoreScope } from './database.ts';

let kit: TestDatabase;
beforeAll(async () => {
  kit = await createKitDatabase();
});
afterAll(() => kit.drop());

const newScope = (timeoutMs = 30_000): StoreScope => ({ storeId: randomUUID(), deadline: Date.now() + timeoutMs });
const addNote = (database: Database, scope: StoreScope, text: string) =>
  database.execute(scope, (sql) => sql`insert into notes (store_id, text) values (${scope.storeId}, ${text})`);
const textsOf = async (storeId: string) =>
  (await kit.adminSql`select text from notes where store_id = ${storeId} order by text`).map(({ text }) => text);

async function withConnection(work: (database: Database, pid: number) => Promise<void>): Promise<void> {
  const database = createDatabase({ url: kit.url, size: 1, log: silentLog(), name: 'one statement' });
  const [row] = await database.read(newScope(), (sql) => sql`select pg_backend_pid() as pid`);
  await work(database, row?.pid).finally(() => database.close());
}
const isRunning = async (pid: number) =>
  (await kit.adminSql`select 1 from pg_stat_activity where pid = ${pid} and state = 'active'`).length > 0;

test('one statement is committed when it is answered, and sees only its own store', () =>
  withConnection(async (database) => {
    const [mine, other] = [newScope(), newScope()];
    expect((await addNote(database, mine, 'mine')).count).toBe(1);
    await addNote(database, other, 'other');
    expect(await textsOf(mine.storeId)).toEqual(['mine']);
    expect((await database.execute(mine, (sql) => sql`update notes set text = 'changed'`)).count).toBe(1);
    expect([await textsOf(mine.storeId), await textsOf(other.storeId)]).toEqual([['changed'], ['other']]);
  }));

test('a statement that fails has no effect, and the connection goes on', () =>
  withConnection(async (database, pid) => {
    const scope = newScope();
    await addNote(database, scope, 'first');
    const twice = await addNote(database, scope, 'first').catch((error: unknown) => error);
    expect(isUniqueViolation(twice)).toBe(true);
    await addNote(database, scope, 'second');
    expect(await textsOf(scope.storeId)).toEqual(['first', 'second']);
    const [row] = await database.read(scope, (sql) => sql`select pg_backend_pid() as pid`);
    expect(row?.pid).toBe(pid);
  }));

test('a statement that waits too long for a lock fails as not done', () =>
  withConnection(async (database) => {
    const scope = newScope();
    await addNote(database, scope, 'locked');
    const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const locking = kit.database.write(scope, async (sql) => {
      await sql`select from notes for update`;
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const waiting = database.execute(scope, (sql) => sql`select from notes for update`);
    await expect(waiting).rejects.toMatchObject({ code: 'service_unavailable', cause: { code: '55P03' } });
    release.resolve();
    await locking;
  }));

test('a statement whose answer is lost fails with upstream_timeout, because its outcome is unknown', () =>
  withConnection(async (database, pid) => {
    const scope = newScope();
    const unknown = database.execute(
      scope,
      (sql) => sql`insert into notes (store_id, text) select ${scope.storeId}, 'x' from pg_sleep(60)`,
    );
    await Promise.all([
      expect(unknown).rejects.toMatchObject({ code: 'upstream_timeout' }),
      waitFor(() => isRunning(pid), { description: 'the statement runs' }).then(
        () => kit.adminSql`select pg_terminate_backend(${pid})`,
      ),
    ]);
  }));

test('a statement without a connection was not done', async () => {
  const url = Object.assign(new URL(kit.url), { port: '1' }).href;
  const database = createDatabase({ url, size: 1, log: silentLog(), name: 'nowhere' });
  await expect(addNote(database, newScope(), 'x')).rejects.toMatchObject({ code: 'service_unavailable' });
  await database.close();
});
